/** Runs a classic BPF program as the kernel does, over one `struct seccomp_data`, and says what it returns and how many instructions ran. */

export interface SystemCall {
  readonly number: number
  readonly arch: number
  readonly arguments?: readonly bigint[]
}

export interface BpfResult {
  readonly value: number
  readonly instructions: number
  /** The arguments were looked at: the kernel cannot work the answer out beforehand. */
  readonly sawArguments: boolean
}

export function interpret(program: Uint8Array, call: SystemCall): BpfResult {
  const code = new DataView(program.buffer, program.byteOffset, program.byteLength)
  const data = new DataView(new ArrayBuffer(64))
  data.setInt32(0, call.number, true)
  data.setUint32(4, call.arch, true)
  for (const [index, value] of (call.arguments ?? []).entries()) data.setBigUint64(16 + index * 8, BigInt.asUintN(64, value), true)
  const count = program.byteLength / 8
  let accumulator = 0
  let sawArguments = false
  for (let at = 0, ran = 1; at < count; at++, ran++) {
    const constant = code.getUint32(at * 8 + 4, true)
    const jump = (holds: boolean): void => {
      at += code.getUint8(at * 8 + (holds ? 2 : 3))
    }
    switch (code.getUint16(at * 8, true)) {
      case 0x20:
        accumulator = data.getUint32(constant, true)
        sawArguments ||= constant >= 8
        break
      case 0x54:
        accumulator = (accumulator & constant) >>> 0
        break
      case 0x05:
        at += constant
        break
      case 0x15:
        jump(accumulator === constant)
        break
      case 0x35:
        jump(accumulator >= constant)
        break
      case 0x45:
        jump((accumulator & constant) !== 0)
        break
      case 0x06:
        return { value: constant, instructions: ran, sawArguments }
      default:
        throw new Error(`instruction ${at} is none that the kernel knows`)
    }
  }
  throw new Error('the program runs off its end')
}

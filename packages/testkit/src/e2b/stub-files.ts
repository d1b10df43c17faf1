/** Owns `filesystem.Filesystem` and `/files` of one box of the stub. Every look and every byte goes through a process in the box. */
import type { E2bStubBox } from './stub-box.ts'
import { type StubRecord, StubRefusal, stubJson, stubText } from './stub-reply.ts'

const PYTHON = '/usr/bin/python3'
/** One request: prints one JSON object, or bytes; what fails is one JSON object on stderr. */
const PROGRAM = `
import datetime, json, os, shutil, stat, sys
operation, path, *rest = sys.argv[1:]
path = os.path.join(os.environ["HOME"], path)
class Refused(Exception): pass
def entry(path):
    status = os.lstat(path)
    kind = "FILE_TYPE_UNSPECIFIED"
    if stat.S_ISREG(status.st_mode): kind = "FILE_TYPE_FILE"
    if stat.S_ISDIR(status.st_mode): kind = "FILE_TYPE_DIRECTORY"
    if stat.S_ISLNK(status.st_mode): kind = "FILE_TYPE_SYMLINK"
    when = datetime.datetime.fromtimestamp(status.st_mtime, datetime.timezone.utc).isoformat().replace("+00:00", "Z")
    found = {"name": os.path.basename(path), "type": kind, "path": path, "size": str(status.st_size), "mode": stat.S_IMODE(status.st_mode),
        "permissions": stat.filemode(status.st_mode), "owner": "user", "group": "user", "modifiedTime": when}
    if kind == "FILE_TYPE_SYMLINK": found["symlinkTarget"] = os.path.realpath(path)
    return found
def run():
    if operation == "Stat": return {"entry": entry(path)}
    if operation == "MakeDir":
        if os.path.isdir(path): raise Refused("already_exists", "directory already exists: " + path)
        os.makedirs(path)
        return {"entry": entry(path)}
    if operation == "ListDir":
        if not os.path.isdir(path): raise Refused("not_found" if not os.path.lexists(path) else "invalid_argument", "path is not a directory: " + path)
        return {"entries": [entry(os.path.join(path, name)) for name in sorted(os.listdir(path))]}
    if operation == "Remove":
        shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.path.lexists(path) and os.remove(path)
        return {}
    if operation == "Move":
        target = os.path.join(os.environ["HOME"], rest[0])
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.rename(path, target)
        return {"entry": entry(target)}
    if operation == "read":
        if os.path.isdir(path): raise Refused("invalid_argument", "path '" + path + "' is a directory")
        with open(path, "rb") as file: shutil.copyfileobj(file, sys.stdout.buffer)
        return None
    if operation == "write":
        if os.path.isdir(path): raise Refused("invalid_argument", "path is a directory: " + path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file: shutil.copyfileobj(sys.stdin.buffer, file)
        return {"name": os.path.basename(path), "type": "file", "path": path}
    raise Refused("unimplemented", operation + " is not known")
try:
    answer = run()
    if answer is not None: print(json.dumps(answer))
except Refused as refused:
    print(json.dumps({"code": refused.args[0], "message": refused.args[1]}), file=sys.stderr)
    sys.exit(1)
except FileNotFoundError as error:
    print(json.dumps({"code": "not_found", "message": str(error)}), file=sys.stderr)
    sys.exit(1)
except PermissionError as error:
    print(json.dumps({"code": "permission_denied", "message": str(error)}), file=sys.stderr)
    sys.exit(1)
except OSError as error:
    print(json.dumps({"code": "internal", "message": str(error)}), file=sys.stderr)
    sys.exit(1)
`

export class StubFiles {
  readonly #box: E2bStubBox

  constructor(box: E2bStubBox) {
    this.#box = box
  }

  async call(method: string, message: StubRecord): Promise<object> {
    const path = stubText(message.path) ?? stubText(message.source) ?? ''
    return stubJson(await this.#run([method, path, stubText(message.destination) ?? '']))
  }

  read(path: string): Promise<Buffer> {
    return this.#run(['read', path, ''])
  }

  /** @param type of the request's body: a form with files, or the bytes of one */
  async write(path: string | undefined, type: string, body: Buffer): Promise<readonly object[]> {
    const files = type.startsWith('multipart/') ? await formFiles(type, body) : [{ name: path ?? '', bytes: body }]
    return Promise.all(files.map(async ({ name, bytes }) => stubJson(await this.#run(['write', path ?? name, ''], bytes))))
  }

  #run(words: readonly string[], input?: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const options = { cwd: '.', env: { HOME: this.#box.home }, stdin: input === undefined ? 'ignore' : 'pipe' } as const
      const child = this.#box.run([PYTHON, '-I', '-S', '-c', PROGRAM, ...words], options)
      const stdout: Buffer[] = []
      const stderr: Buffer[] = []
      child.stdout?.on('data', (bytes: Buffer) => stdout.push(bytes))
      child.stderr?.on('data', (bytes: Buffer) => stderr.push(bytes))
      child.on('error', reject)
      child.on('close', (code) => {
        if (code === 0) return resolve(Buffer.concat(stdout))
        const said = Buffer.concat(stderr).toString('utf8')
        if (!said.startsWith('{')) return reject(new StubRefusal('internal', said))
        const { code: word, message } = stubJson(Buffer.from(said))
        return reject(new StubRefusal(stubText(word) ?? 'internal', stubText(message) ?? ''))
      })
      child.stdin?.on('error', () => undefined)
      child.stdin?.end(input)
    })
  }
}

async function formFiles(type: string, body: Buffer): Promise<readonly { readonly name: string; readonly bytes: Buffer }[]> {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  const files: { readonly name: string; readonly bytes: Buffer }[] = []
  for (const part of form.getAll('file')) {
    if (typeof part !== 'string') files.push({ name: part.name, bytes: Buffer.from(await part.arrayBuffer()) })
  }
  return files
}

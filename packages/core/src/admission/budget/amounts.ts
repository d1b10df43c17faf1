import type { BudgetName } from './budget.ts'

/** `2 of 20 calls are left`. */
export function amountLeft(budget: BudgetName, used: number, limit: number): string {
  const left = Math.max(0, limit - used)
  switch (budget) {
    case 'rounds':
    case 'calls':
    case 'tokens':
      return `${whole(left)} of ${whole(limit)} ${budget} ${left === 1 ? 'is' : 'are'} left`
    case 'wallMs':
      return `${duration(left)} of ${duration(limit)} are left`
    case 'microPrice':
      return `${money(left)} of ${money(limit)} is left of the money for this run`
    default:
      return budget satisfies never
  }
}

/** `20 of 20 calls`. */
export function amountUsed(budget: BudgetName, used: number, limit: number): string {
  switch (budget) {
    case 'rounds':
    case 'calls':
    case 'tokens':
      return `${whole(used)} of ${whole(limit)} ${budget}`
    case 'wallMs':
      return `${duration(used)} of ${duration(limit)}`
    case 'microPrice':
      return `${money(used)} of ${money(limit)} of money`
    default:
      return budget satisfies never
  }
}

function whole(value: number): string {
  return String(Math.round(value))
}

/** `850 ms`, `12 s`, `4 min 30 s`, `2 h 5 min`: two units at most, rounded up to a whole one so that no wait is said too short. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.ceil(ms)} ms`
  const seconds = Math.ceil(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return both(Math.floor(seconds / 60), 'min', seconds % 60, 's')
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 2_880) return both(Math.floor(minutes / 60), 'h', minutes % 60, 'min')
  const hours = Math.ceil(minutes / 60)
  return both(Math.floor(hours / 24), 'd', hours % 24, 'h')
}

function both(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`
}

/** The currency is the host's; at least two decimals, six where it takes them. */
function money(microPrice: number): string {
  const text = (microPrice / 1_000_000).toFixed(6)
  return text.replace(/0{1,4}$/, '')
}

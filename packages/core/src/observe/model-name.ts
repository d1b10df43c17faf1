/** How models of ours name their provider, and how the conventions do. */
const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['openai', 'openai'],
  ['anthropic', 'anthropic'],
  ['gemini', 'gcp.gemini'],
])

export interface ModelNames {
  readonly provider: string
  readonly model: string
}

/** Splits a model's name, e.g. `openai:gpt-5`; a provider that the conventions have no word for keeps its own. */
export function modelNamesOf(name: string): ModelNames {
  const colon = name.indexOf(':')
  if (colon <= 0) return { provider: 'unknown', model: name }
  const provider = name.slice(0, colon)
  const rest = name.slice(colon + 1)
  // compatible:http://host/v1#model
  const hash = rest.lastIndexOf('#')
  return { provider: PROVIDERS.get(provider) ?? provider, model: hash === -1 ? rest : rest.slice(hash + 1) }
}

import type { ToolCall } from '../contract/call.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { UnloadReason } from '../contract/events.ts'
import { isJsonObject, ownValue } from '../contract/json.ts'
import type { ToolLookup, ToolSource } from '../contract/lookup.ts'
import type { Principal } from '../contract/principal.ts'
import type { AgentTool, CallContext } from '../contract/tool.ts'
import { estimateTokens } from '../util/estimate-tokens.ts'
import { type ActiveLimits, ActiveSet, type Unloaded } from './active-set.ts'
import { everybodyMayUse, type MayUse } from './may-use.ts'
import { DEFAULT_META_NAMES, type MetaToolNames, metaTools } from './meta-tools.ts'
import { SkillLimits } from './skill-limits.ts'
import type { ToolOverview } from './system-prompt.ts'
import { VisibleTools } from './visible-tools.ts'

/**
 * Finds tools for a request, best first, among these and as if there were no others: what may not be seen must not even change a score.
 * The list is the same object as long as nothing has changed.
 */
type ToolSearch = (
  query: string,
  limit: number,
  among: readonly AgentTool[],
  /** How well a tool did so far in this session, 0 … 1: parts tools that fit about equally. */
  options: { readonly prior: (name: string) => number },
) => Hits | Promise<Hits>

type Hits = readonly { readonly name: string }[]

export interface CatalogOptions {
  readonly principal: Principal
  /** Default: everybody may use everything. */
  readonly mayUse?: MayUse
  /** `auto`: extended tools come on demand once there are more than `aboveTools`. Default `auto`. */
  readonly disclosure?: 'auto' | 'on' | 'off'
  /** Extended tools that are simply shown. Default 30. */
  readonly aboveTools?: number
  readonly limits?: Partial<ActiveLimits>
  /** What becomes of a call to a tool that is not loaded: the model is told, or it is loaded and run at once. Default `explain`. */
  readonly notLoaded?: 'explain' | 'run'
  /**
   * Whether a loaded skill that names its tools takes the others away until the task ends. Default `show`: the model is told, and nothing is
   * taken away, since many skills name the tools of other hosts.
   */
  readonly skillLimits?: 'show' | 'enforce'
  readonly names?: Partial<MetaToolNames>
  readonly search: ToolSearch
  readonly loaded?: (name: string, tokens: number) => void
  readonly unloaded?: (name: string, reason: UnloadReason) => void
}

const DEFAULT_ABOVE_TOOLS = 30
/** Lines of one list of skills: what is beyond is found by searching. */
const MAX_LISTED = 100
const ONE_LINE_CHARS = 160

/**
 * What one session's model sees now, out of all there is: core tools always; extended ones all of them while they are few, else those that it
 * loaded. Everything goes through {@link VisibleTools}: a tool that the principal may not use is nowhere. One per session, not shared; changes
 * only between requests and by the meta-tools.
 */
export class Catalog implements ToolLookup {
  readonly #options: CatalogOptions
  readonly #names: MetaToolNames
  readonly #active: ActiveSet
  readonly #meta: ReadonlyMap<string, AgentTool>
  readonly #seen = new Set<string>()
  readonly #limits = new SkillLimits()
  readonly #record = new Map<string, { calls: number; ok: number }>()
  #visible: VisibleTools
  #searchable: readonly AgentTool[] | undefined
  #disclosing: boolean | undefined

  constructor(tools: ToolSource, options: CatalogOptions) {
    this.#options = options
    this.#names = { ...DEFAULT_META_NAMES, ...options.names }
    this.#active = new ActiveSet(options.limits)
    this.#visible = this.#see(tools)
    const made = metaTools(this.#names, {
      listSkills: () => this.#listSkills(),
      load: (name, file, cx) => this.#load(name, file, cx),
      search: (query, limit) => this.#search(query, limit),
      unload: (name) => this.#unloadAsked(name),
    })
    this.#meta = new Map(made.map((tool) => [tool.name, tool]))
  }

  /** Whether extended tools come on demand now. Counted once for each state of the registry: every call asks. */
  get disclosing(): boolean {
    this.#disclosing ??= this.#disclose()
    return this.#disclosing
  }

  #disclose(): boolean {
    const { disclosure = 'auto', aboveTools = DEFAULT_ABOVE_TOOLS } = this.#options
    if (disclosure !== 'auto') return disclosure === 'on'
    return this.#visible.tools().filter((tool) => tool.tier === 'extended').length > aboveTools
  }

  /** The tools of the next request, core ones first. */
  tools(): readonly AgentTool[] {
    const visible = this.#visible.tools()
    const shown = this.disclosing
      ? [...this.#metaTools(), ...visible.filter((tool) => tool.tier === 'core' && !this.#meta.has(tool.name)), ...this.#active.tools()]
      : visible
    for (const tool of shown) this.#seen.add(tool.name)
    return shown
  }

  /**
   * What a call by this name runs: only what the model may see, and has loaded where tools come on demand. The meta-tools answer also where
   * they are not needed: a model may have learnt of them before.
   */
  get(name: string): AgentTool | undefined {
    return this.#called(this.#reach(name))
  }

  #reach(name: string): AgentTool | undefined {
    if (!this.disclosing) return this.#visible.get(name) ?? this.#meta.get(name)
    const meta = this.#meta.get(name)
    if (meta !== undefined) return meta
    const tool = this.#visible.get(name)
    if (tool === undefined || tool.tier === 'core') return tool
    if (this.#active.has(name)) {
      this.#active.touch(name)
      return tool
    }
    if (this.#options.notLoaded !== 'run') return undefined
    this.#take(tool)
    return tool
  }

  /** Whether the model may see such a tool, loaded or not. Changes nothing. */
  has(name: string): boolean {
    return this.#visible.get(name) !== undefined
  }

  *names(): Generator<string, void, void> {
    if (this.disclosing) yield* this.#meta.keys()
    yield* this.#visible.names()
  }

  /** Says of a tool that is there and not loaded how to load it; of any other name nothing. */
  missing(name: string): AdjutantError | undefined {
    const tool = this.#visible.get(name)
    if (tool === undefined) return undefined
    const limit = this.#limit(tool)
    if (limit !== undefined || !this.disclosing) return limit
    const state = this.#seen.has(name) ? 'was unloaded' : 'is not loaded'
    const { loadSkill, useTool } = this.#names
    return new AdjutantError('TOOL_NOT_LOADED', `${name} ${state}`, {
      hint: `Load it with ${loadSkill} {"name":${JSON.stringify(name)}} and call it then, or call it at once with ${useTool}.`,
    })
  }

  /** A call of `use_tool` stands for a call of the tool that it names, under its own id. Other calls stay as they are. */
  resolve(call: ToolCall): { readonly call: ToolCall; readonly lookup: ToolLookup } {
    if (call.name !== this.#names.useTool || !call.arguments.ok) return { call, lookup: this }
    if (!this.disclosing && this.#visible.get(call.name) !== undefined) return { call, lookup: this }
    const name = ownValue(call.arguments.value, 'name')
    const params = ownValue(call.arguments.value, 'params') ?? {}
    if (typeof name !== 'string' || this.#meta.has(name) || !isJsonObject(params)) return { call, lookup: this }
    this.#active.touch(name)
    // Loaded or not: its arguments are validated all the same.
    return { call: { ...call, name, arguments: { ...call.arguments, value: params } }, lookup: this.#anyVisible }
  }

  /** Every tool that may be seen, loaded or not, within what loaded skills allow. */
  get all(): ToolLookup {
    return this.#anyVisible
  }

  readonly #anyVisible: ToolLookup = {
    get: (name) => this.#called(this.#visible.get(name)),
    names: () => this.#visible.names(),
    missing: (name) => {
      const tool = this.#visible.get(name)
      return tool === undefined ? undefined : this.#limit(tool)
    },
  }

  /** A tool that is called, unless a loaded skill keeps it away. A skill that is called limits from then on. */
  #called(tool: AgentTool | undefined): AgentTool | undefined {
    if (tool === undefined || this.#limit(tool) !== undefined) return undefined
    if (isSkill(tool)) this.#limits.load(tool)
    return tool
  }

  /** Why a loaded skill keeps a tool away. Skills and meta-tools are always there. */
  #limit(tool: AgentTool): AdjutantError | undefined {
    if (this.#options.skillLimits !== 'enforce' || isSkill(tool) || this.#meta.get(tool.name) === tool) return undefined
    return this.#limits.refusal(tool, this.#names.unloadTool)
  }

  /** For the system prompt: what there is, without saying what may not be seen. */
  overview(): ToolOverview {
    const extended = this.#visible.tools().filter((tool) => tool.tier === 'extended')
    return {
      disclosing: this.disclosing,
      loaded: this.#active.tools().map((tool) => tool.name),
      available: extended.length,
      skills: extended.filter(isSkill).length,
      untrusted: this.#visible.tools().some((tool) => tool.untrusted === true),
      names: this.#names,
    }
  }

  /** What came of a call: tools that did well here are found a little earlier. */
  note(name: string, ok: boolean): void {
    if (this.#visible.get(name)?.tier !== 'extended') return
    const record = this.#record.get(name)
    if (record === undefined) this.#record.set(name, { calls: 1, ok: ok ? 1 : 0 })
    else {
      record.calls += 1
      if (ok) record.ok += 1
    }
  }

  readonly #prior = (name: string): number => {
    const record = this.#record.get(name)
    return record === undefined ? 0 : record.ok / record.calls
  }

  /** A request with these tools goes out. */
  requested(): void {
    this.#active.requested()
  }

  endRound(): void {
    this.#tellUnloaded(this.#active.endRound())
  }

  endTask(): void {
    this.#limits.clear()
    this.#tellUnloaded(this.#active.endTask())
  }

  /** The registry has changed. What is gone or is another tool now leaves the model's context. */
  useTools(tools: ToolSource): void {
    this.#visible = this.#see(tools)
    this.#searchable = undefined
    this.#disclosing = undefined
    this.#tellUnloaded(this.#active.keep((tool) => this.#visible.get(tool.name) === tool))
  }

  /** Names of the tools on demand that the model has, in the order in which they were loaded. */
  loadedNames(): readonly string[] {
    return this.#active.tools().map((tool) => tool.name)
  }

  /** Loads what a session had that goes on here; what is not there any more stays away. */
  restore(names: readonly string[]): void {
    for (const name of names) {
      const tool = this.#visible.get(name)
      if (tool?.tier === 'extended') this.#take(tool)
    }
  }

  /** Keeps a loaded tool from being pushed out. */
  pin(name: string, pinned = true): void {
    this.#active.pin(name, pinned)
  }

  #see(tools: ToolSource): VisibleTools {
    return new VisibleTools(tools, this.#options.principal, this.#options.mayUse ?? everybodyMayUse)
  }

  #metaTools(): readonly AgentTool[] {
    const skills = this.#visible.tools().some(isSkill)
    return [...this.#meta.values()].filter((tool) => skills || tool.name !== this.#names.listSkills)
  }

  #listSkills(): string {
    const skills = this.#visible.tools().filter(isSkill)
    if (skills.length === 0) return 'There are no skills.'
    const lines = skills.slice(0, MAX_LISTED).map(oneLine)
    const more = skills.length - lines.length
    if (more > 0) lines.push(`… and ${more} more: find them with ${this.#names.searchTools}.`)
    return lines.join('\n')
  }

  async #search(query: string, limit: number): Promise<string> {
    const hits = await this.#find(query, limit)
    if (hits.length === 0)
      return `No tool fits ${JSON.stringify(query.slice(0, 200))}. Say it in other words, or go on with the tools you have.`
    return hits.map((tool) => `${oneLine(tool)}${this.#active.has(tool.name) ? ' (loaded)' : ''}`).join('\n')
  }

  async #find(query: string, limit: number): Promise<readonly AgentTool[]> {
    this.#searchable ??= this.#visible.tools().filter((tool) => tool.tier === 'extended')
    const hits = await this.#options.search(query, limit, this.#searchable, { prior: this.#prior })
    return hits.flatMap((hit) => this.#visible.get(hit.name) ?? [])
  }

  async #load(name: string, file: string | undefined, cx: CallContext): Promise<unknown> {
    const tool = this.#visible.get(name)
    if (tool === undefined) throw await this.#unknown(name)
    if (tool.tier === 'core') return `${name} is always among your tools.`
    if (isSkill(tool)) {
      this.#limits.load(tool)
      return tool.execute(file === undefined ? {} : { file }, cx)
    }
    this.#take(tool)
    return `${name} is among your tools from your next answer on.`
  }

  /** The same for what does not exist and for what may not be seen. */
  async #unknown(name: string): Promise<AdjutantError> {
    const near = (await this.#find(name, 3)).map((tool) => tool.name)
    return new AdjutantError('UNKNOWN_TOOL', `there is no tool ${JSON.stringify(name.slice(0, 200))}`, {
      hint: near.length === 0 ? `Find one with ${this.#names.searchTools}.` : `Did you mean ${near.join(', ')}?`,
    })
  }

  #take(tool: AgentTool): void {
    if (this.#active.has(tool.name)) {
      this.#active.touch(tool.name)
      return
    }
    const tokens = tokensOf(tool)
    this.#tellUnloaded(this.#active.load(tool, tokens))
    this.#options.loaded?.(tool.name, tokens)
  }

  #unloadAsked(name: string): string {
    if (this.#limits.unload(name)) return `${name} limits your tools no more.`
    if (!this.#active.unload(name)) return `${JSON.stringify(name.slice(0, 200))} is not loaded.`
    this.#tellUnloaded([{ name, reason: 'asked' }])
    return `${name} is unloaded.`
  }

  #tellUnloaded(unloaded: readonly Unloaded[]): void {
    for (const { name, reason } of unloaded) this.#options.unloaded?.(name, reason)
  }
}

function isSkill(tool: AgentTool): boolean {
  return tool.tags?.includes('skill') ?? false
}

function tokensOf(tool: AgentTool): number {
  return estimateTokens(JSON.stringify({ name: tool.name, description: tool.description, parameters: tool.inputSchema }))
}

function oneLine(tool: AgentTool): string {
  const said = tool.description.replace(/\s+/g, ' ').trim()
  const cut = said.length <= ONE_LINE_CHARS ? said : `${said.slice(0, ONE_LINE_CHARS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
  return `${tool.name}: ${cut}`
}

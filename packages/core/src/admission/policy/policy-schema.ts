import type { JsonObject, JsonValue } from '../../contract/json.ts'

/**
 * Owns the JSON Schema of a policy document. The file policy.schema.json that editors read is this value; a test compares the two.
 * Unions are written as lists of types, never as `oneOf`: so each fault has one place and one message.
 */

function texts(description: string, ...examples: readonly JsonValue[]): JsonObject {
  return {
    type: ['string', 'array'],
    minLength: 1,
    minItems: 1,
    items: { type: 'string', minLength: 1 },
    description,
    ...(examples.length === 0 ? {} : { examples }),
  }
}

function words(values: readonly string[], description: string): JsonObject {
  return { type: ['string', 'array'], pattern: `^(?:${values.join('|')})$`, minItems: 1, items: { enum: values }, description }
}

const EFFECT_WORDS = ['read', 'write', 'dangerous']

export const POLICY_SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://adjutant.dev/policy.schema.json',
  title: 'Adjutant policy',
  description: 'Who may call which tool with which arguments. See docs/guides/policy.md.',
  type: 'object',
  additionalProperties: false,
  required: ['version', 'rules'],
  properties: {
    $schema: { type: 'string', description: 'For editors.' },
    version: { const: 1, description: 'Of this form. 1.' },
    tier: {
      enum: ['admin', 'organisation', 'project', 'user', 'session'],
      description: 'Who wrote it. The place of a file says so too, and both must agree.',
    },
    default: {
      enum: ['allow', 'ask', 'deny'],
      description: 'What becomes of a call that no rule of this tier and none above it speaks of. Without it the next tier is asked.',
    },
    rules: { type: 'array', maxItems: 5000, items: { $ref: '#/$defs/rule' } },
  },
  $defs: {
    rule: {
      type: 'object',
      additionalProperties: false,
      required: ['id', 'effect'],
      properties: {
        id: {
          type: 'string',
          pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$',
          description: 'Unique in its tier; decisions name the rule as tier/id.',
        },
        effect: {
          enum: ['allow', 'ask', 'deny'],
          description: 'In one tier deny wins; between allow and ask the later rule does.',
        },
        reason: { type: 'string', minLength: 1, maxLength: 500, description: 'Said to the person, the model and the log.' },
        who: { $ref: '#/$defs/who' },
        tools: texts('Patterns of tool names; * stands for any characters. Default: all tools.', ['write_*', 'mcp__github__*']),
        tags: texts('The tool carries one of these tags.', 'edit'),
        origins: texts('Patterns of kind:from, where the tool comes from.', 'mcp:github'),
        effects: words(EFFECT_WORDS, 'What the call does, by its actual arguments.'),
        when: {
          type: 'object',
          minProperties: 1,
          description: 'What the arguments must be, by name (path), dotted name (target.path) or JSON Pointer (/items/*/path; * is each).',
          additionalProperties: { $ref: '#/$defs/value' },
        },
        otherArguments: { type: 'boolean', description: 'false: only calls without arguments that "when" does not name. Default true.' },
        afterUntrusted: { type: 'boolean', description: 'true: only once this run has read text of strangers. Default false.' },
        except: {
          type: 'array',
          minItems: 1,
          items: { $ref: '#/$defs/scope' },
          description: 'The rule does not speak of what one of these describes.',
        },
      },
    },
    scope: {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      properties: {
        who: { $ref: '#/$defs/who' },
        tools: texts('Patterns of tool names.'),
        tags: texts('The tool carries one of these tags.'),
        origins: texts('Patterns of kind:from.'),
      },
    },
    who: {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      description: 'On whose behalf the call runs. All that is given must fit. Default: everybody.',
      properties: {
        roles: texts('One of these roles.', ['analyst']),
        users: texts('One of these users.'),
        tenants: texts('One of these tenants.'),
        attributes: {
          type: 'object',
          minProperties: 1,
          description: 'What the attributes of the principal must be.',
          additionalProperties: { $ref: '#/$defs/value' },
        },
      },
    },
    value: {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      description: 'What a value must be. Several keys: all of them.',
      properties: {
        paths: texts('Patterns of paths: * and ? in one name, ** across folders. Relative ones begin at the workspace.', [
          'docs/**',
          '/etc',
        ]),
        hosts: texts('Hosts of URLs: a name, *.name for those below it, *, an address, or @private.', ['api.example.com', '*.example.org']),
        schemes: texts('Schemes of URLs.', 'https'),
        ports: {
          type: ['integer', 'array'],
          minimum: 1,
          maximum: 65535,
          minItems: 1,
          items: { type: 'integer', minimum: 1, maximum: 65535 },
          description: 'Ports of URLs, the usual one of the scheme where none is written.',
        },
        methods: texts('HTTP methods, whatever the case.', ['GET', 'HEAD']),
        min: { type: 'number', description: 'The least number.' },
        max: { type: 'number', description: 'The greatest number.' },
        in: { type: 'array', minItems: 1, items: { type: ['string', 'number', 'boolean', 'null'] }, description: 'One of these.' },
        equals: { description: 'This very value; a list or a mapping is compared whole.' },
        text: texts('Patterns of plain text; * stands for any characters.', 'prod-*'),
        command: { $ref: '#/$defs/command' },
        not: { $ref: '#/$defs/value' },
        absent: { type: 'boolean', description: 'true: an argument that is not given fits too.' },
      },
    },
    command: {
      type: 'object',
      additionalProperties: false,
      required: ['language'],
      minProperties: 2,
      description: 'What each simple command of a script must be.',
      properties: {
        language: { enum: ['bash', 'sql', 'sql:postgresql', 'sql:sqlite'], description: 'How the text is read.' },
        programs: texts('Patterns of program names, wrappers such as sudo undone.', ['git', 'npm']),
        run: texts('Commands word by word: * is one word, a last ** all that follow.', ['git log **', 'npm test']),
        effects: words(EFFECT_WORDS, 'What it does.'),
      },
    },
  },
}

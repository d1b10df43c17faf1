// The arrows of the house: one way only. scripts/check-arrows.test.ts plants a violation of each rule and sees it fail.
const rooms = '(registry|catalog|intake|admission|dispatch|execution|response)'

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-circles',
      comment: 'A circle has no first part to understand.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'contract-knows-nobody',
      comment: 'The contract is the words; it imports nothing of the house.',
      severity: 'error',
      from: { path: '^packages/core/src/contract/' },
      to: { path: '^packages/', pathNot: '^packages/core/src/contract/' },
    },
    {
      name: 'util-knows-contract-only',
      severity: 'error',
      from: { path: '^packages/core/src/util/', pathNot: '\\.test\\.ts$' },
      to: { path: '^packages/', pathNot: '^packages/core/src/(contract|util)/' },
    },
    {
      name: 'rooms-know-contract-only',
      comment: 'A call passes the rooms in one order; session/ is the one place that joins them.',
      severity: 'error',
      from: { path: `^packages/core/src/${rooms}/`, pathNot: '\\.test(-d)?\\.ts$' },
      to: { path: '^packages/', pathNot: ['^packages/core/src/(contract|util)/', '^packages/core/src/$1/'] },
    },
    {
      name: 'models-know-the-wire-only',
      comment: 'An adapter decodes (intake) and writes the wire form of results and definitions, and nothing else.',
      severity: 'error',
      from: { path: '^packages/core/src/models/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^packages/',
        pathNot: [
          '^packages/core/src/(contract|util|models|intake)/',
          '^packages/core/src/response/envelope',
          '^packages/core/src/registry/(definitions/|naming\\.ts)',
        ],
      },
    },
    {
      name: 'observe-knows-contract-only',
      severity: 'error',
      from: { path: '^packages/core/src/observe/', pathNot: '\\.test\\.ts$' },
      to: { path: '^packages/', pathNot: '^packages/core/src/(contract|util|observe)/' },
    },
    {
      name: 'core-knows-no-package',
      severity: 'error',
      from: { path: '^packages/core/src/', pathNot: '\\.test(-d)?\\.ts$' },
      to: { path: '^packages/(tools|testkit|cli|store|server|sandbox|reflect|console)/' },
    },
    {
      name: 'tools-know-core-and-sandbox',
      severity: 'error',
      from: { path: '^packages/tools/src/', pathNot: '\\.test\\.ts$' },
      to: { path: '^packages/(cli|testkit|store|server|reflect|console)/' },
    },
    {
      name: 'testkit-knows-core-only',
      severity: 'error',
      from: { path: '^packages/testkit/src/', pathNot: '\\.test\\.ts$' },
      to: { path: '^packages/(cli|tools|store|server|sandbox|reflect|console)/' },
    },
    {
      name: 'store-knows-core-only',
      severity: 'error',
      from: { path: '^packages/store/src/', pathNot: '\\.test\\.ts$' },
      to: { path: '^packages/(cli|tools|testkit|reflect|server|sandbox|console)/' },
    },
    {
      name: 'sandbox-knows-contract-only',
      comment: 'A box is opened for whoever asks; it knows the words and nobody who speaks them.',
      severity: 'error',
      from: { path: '^packages/sandbox/src/', pathNot: '\\.test\\.ts$' },
      to: { path: '^packages/', pathNot: '^packages/(sandbox/|core/src/contract/)' },
    },
    {
      name: 'reflect-knows-core-only',
      comment: 'It brings a compiler; the command loads it on demand and nothing else depends on it.',
      severity: 'error',
      from: { path: '^packages/reflect/src/', pathNot: '\\.test\\.ts$' },
      to: { path: '^packages/(cli|tools|testkit|store|server|sandbox|console)/' },
    },
    {
      name: 'nobody-knows-the-command',
      severity: 'error',
      from: { path: '^packages/', pathNot: '^packages/cli/' },
      to: { path: '^packages/cli/' },
    },
    {
      name: 'tests-stay-out-of-sources',
      severity: 'error',
      from: { path: '^packages/', pathNot: '(\\.test(-d)?\\.ts$|^packages/[^/]+/test/|^packages/testkit/)' },
      to: { path: '(\\.test\\.ts$|^packages/[^/]+/test/|^packages/testkit/)' },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.tests.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['adjutant-source', 'import', 'node', 'default'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
}

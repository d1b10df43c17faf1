/** Go and its tools. */
import type { HintEntry } from '../hint.ts'

export const GO_HINTS: readonly HintEntry[] = [
  {
    code: 'GO_SUM_MISSING',
    grade: 'clarify',
    rank: 74,
    patterns: [
      'missing go.sum entry for module providing package {1:word}',
      'missing go.sum entry',
      'go: updates to go.mod needed',
      'go: updates to go.sum needed',
      'inconsistent vendoring in',
    ],
    hint: { en: 'Run `go mod tidy` (or `go mod vendor`) and build again.', zh: '运行 `go mod tidy`（或 `go mod vendor`）后重新构建。' },
  },
  {
    code: 'GO_PACKAGE_MISSING',
    grade: 'clarify',
    rank: 74,
    patterns: [
      'invalid version: unknown revision {1:word}',
      'no required module provides package {1:word}',
      'cannot find package "{1}" in',
      'package {1:word} is not in std',
      'package {1:word} is not in GOROOT',
      'cannot find module providing package {1:word}',
      'could not import {1:word}',
      'reading {1:word}: 404 Not Found',
    ],
    hint: {
      en: 'Get it with `go get` or correct the import path {1|that is named}.',
      zh: '用 `go get` 获取，或更正导入路径 {1|（见上）}。',
    },
  },
  {
    code: 'GO_UNDEFINED',
    grade: 'clarify',
    rank: 68,
    patterns: [
      '.go:*: undefined: {1:word}',
      ': undefined: {1:word}',
      'undefined (type {2} has no field or method {1:word})',
      'undeclared name: {1:word}',
    ],
    hint: {
      en: 'Declare or import {1|the name}, and check its spelling and capital letters.',
      zh: '声明或导入 {1|该名称}，并检查拼写和大小写。',
    },
  },
  {
    code: 'GO_UNUSED',
    grade: 'clarify',
    rank: 67,
    patterns: ['.go:*: declared and not used: {1:word}', 'declared but not used', '"{1}" imported and not used', 'declared and not used'],
    hint: { en: 'Remove {1|what is not used}, or use it.', zh: '删除未使用的 {1|内容}，或使用它。' },
  },
  {
    code: 'GO_SYNTAX',
    grade: 'clarify',
    rank: 68,
    patterns: ['.go:*: syntax error: {1}', ': expected declaration, found {1}', "expected 'package', found", 'missing return'],
    hint: { en: 'Correct the syntax at the place named; `gofmt` shows how it is read.', zh: '修正所指位置的语法；`gofmt` 可帮助查看。' },
  },
  {
    code: 'GO_VET',
    grade: 'clarify',
    rank: 54,
    patterns: [
      '.go:*: fmt.Printf format {1}',
      '.go:*: self-assignment of {1}',
      '.go:*: possible {1}',
      '.go:*: result of {1} call not used',
      '^# command-line-arguments$',
      'vet: *.go:',
    ],
    hint: { en: 'Correct what the compiler or `go vet` names at that place.', zh: '按编译器或 `go vet` 指出的位置修正。' },
  },
  {
    code: 'GO_DEADLOCK',
    grade: 'clarify',
    rank: 62,
    patterns: ['fatal error: all goroutines are asleep - deadlock!'],
    hint: {
      en: 'All goroutines wait for each other: look at the channel or lock that the first one waits at.',
      zh: '所有 goroutine 互相等待：检查第一个 goroutine 等待的通道或锁。',
    },
  },
  {
    code: 'GO_DATA_RACE',
    grade: 'clarify',
    rank: 62,
    patterns: ['WARNING: DATA RACE', 'testing.go:*: race detected during execution of test'],
    hint: { en: 'Guard what both named places use with a lock or a channel.', zh: '用锁或通道保护所指两处共用的数据。' },
  },
  {
    code: 'GO_PANIC',
    grade: 'clarify',
    rank: 38,
    patterns: ['^panic: {1}', 'http: panic serving {1:word}', '^goroutine {1:number} [running]:'],
    hint: {
      en: 'Look at the first frame below the panic that is your own code, and handle the case it names.',
      zh: '查看 panic 之后属于自己代码的第一个栈帧，并处理该情况。',
    },
  },
  {
    code: 'GO_VERSION_UNSUPPORTED',
    grade: 'clarify',
    rank: 72,
    patterns: [
      'requires go >= {1:word}',
      'note: module requires Go {1:word}',
      'go.mod requires go >= {1:word}',
      "invalid go version '{1}'",
    ],
    hint: {
      en: 'Use Go {1|of the version named}, or an older version of the module.',
      zh: '使用 Go {1|（所需版本）}，或选用更旧的模块版本。',
    },
  },
]

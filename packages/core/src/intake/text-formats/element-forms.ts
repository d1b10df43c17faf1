import type { ElementForm } from './elements.ts'

/** The forms whose parameters are elements, as the chat templates of their models write them. */

/** `<function=name><parameter=key>value</parameter></function>`, with or without `<tool_call>` around it. */
export const QWEN: ElementForm = {
  format: 'qwen-xml',
  opener: '<function=',
  nameEnd: ['>'],
  nameEndStays: false,
  keyOpen: ['<parameter='],
  keyEnd: ['>'],
  valueEnd: '</parameter>',
  closing: '</function>',
  outer: ['</tool_call>', '<tool_call>', '<function='],
  trims: true,
}

/** `name`, then `<arg_key>key</arg_key><arg_value>value</arg_value>`, between `<tool_call>` tags. */
export const GLM: ElementForm = {
  format: 'glm',
  opener: '<tool_call>',
  nameEnd: ['<arg_key>', '</tool_call>'],
  nameEndStays: true,
  keyOpen: ['<arg_key>'],
  keyEnd: ['</arg_key>'],
  valueOpen: '<arg_value>',
  valueEnd: '</arg_value>',
  closing: '</tool_call>',
  outer: ['<tool_call>'],
  trims: false,
}

/** `<invoke name="…"><parameter name="…">value</parameter></invoke>`. */
export const INVOKE: ElementForm = {
  format: 'invoke',
  opener: '<invoke',
  nameEnd: ['>'],
  nameEndStays: false,
  keyOpen: ['<parameter '],
  keyEnd: ['>'],
  valueEnd: '</parameter>',
  closing: '</invoke>',
  outer: ['</minimax:tool_call>', '</function_calls>', '<invoke '],
  trims: true,
}

/** The same behind a mark of its own; `string="false"` says that a value is JSON. */
export const DSML: ElementForm = {
  format: 'dsml',
  opener: '<｜DSML｜invoke',
  nameEnd: ['>'],
  nameEndStays: false,
  keyOpen: ['<｜DSML｜parameter '],
  keyEnd: ['>'],
  valueEnd: '</｜DSML｜parameter>',
  closing: '</｜DSML｜invoke>',
  outer: ['</｜DSML｜function_calls>', '</｜DSML｜tool_calls>', '<｜DSML｜invoke '],
  trims: false,
}

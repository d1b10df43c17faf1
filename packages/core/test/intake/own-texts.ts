/** One call in each of the forms in which models write calls as text, with words around it. */

const JSON_CALL = '{"name": "get_weather", "arguments": {"city": "Oslo <b>", "days": 3}}'

export const ownTexts: Readonly<Record<string, string>> = {
  hermes: `<think>\nHm, 你好.\n</think>\nI will look.\n<tool_call>\n${JSON_CALL}\n</tool_call>\n<tool_call>\n${JSON_CALL}\n</tool_call>`,
  'qwen-xml':
    '<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo <b>\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>\nDone.',
  glm: '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n<arg_key>days</arg_key>\n<arg_value>3</arg_value>\n</tool_call>',
  invoke:
    'So:\n<function_calls>\n<invoke name="get_weather">\n<parameter name="city">Oslo</parameter>\n<parameter name="days">3</parameter>\n</invoke>\n</function_calls>',
  deepseek:
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Oslo", "days": 3}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  kimi: '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Oslo"}<|tool_call_end|><|tool_calls_section_end|>',
  harmony:
    '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Oslo"}<|call|>',
  mistral: `I will look.[TOOL_CALLS] [${JSON_CALL}, ${JSON_CALL}]`,
  'mistral, named': '[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}[TOOL_CALLS]get_time[ARGS]{}',
  'llama-json': '<|python_tag|>{"name": "get_weather", "parameters": {"city": "Oslo"}}<|eom_id|>',
  pythonic: '[get_weather(city="Oslo \\"x\\"", days=3, hourly=True), get_time(zone=\'UTC\', at=[1, 2.5, None], more={"a": (1,)})]',
  'fenced-json': `I will look:\n\`\`\`json\n${JSON_CALL}\n\`\`\`\nThat is all.`,
}

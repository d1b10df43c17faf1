/** One sample of each form in which a call may be written as text, with what it is. */

export interface TextSample {
  readonly format: string
  readonly text: string
  readonly calls: readonly (readonly [string, unknown])[]
  /** Default: no text around the calls. */
  readonly said?: string
  readonly thought?: string
}

const city = { city: 'Paris' }
const weather = ['get_weather', city] as const

export const TEXT_SAMPLES: readonly TextSample[] = [
  {
    format: 'tool_use',
    text: 'Let me see. <tool_use>{"name":"get_weather","input":{"city":"Paris"}}</tool_use>',
    calls: [weather],
    said: 'Let me see. ',
  },
  { format: 'hermes', text: '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>', calls: [weather] },
  {
    format: 'hermes',
    text: '<think>Two cities.</think>\n\n<tool_call>{"name": "a", "arguments": {}}</tool_call>\n<tool_call>{"name": "b"}</tool_call>',
    calls: [
      ['a', {}],
      ['b', {}],
    ],
    said: '\n',
    thought: 'Two cities.',
  },
  {
    format: 'qwen-xml',
    text: '<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>',
    calls: [weather],
  },
  { format: 'qwen-xml', text: '<function=get_weather><parameter=city>Paris</parameter></function>', calls: [weather] },
  {
    format: 'qwen-xml',
    text: '<tool_call><function=a></function><function=b><parameter=x>1</parameter></function></tool_call> Done.',
    calls: [
      ['a', {}],
      ['b', { x: '1' }],
    ],
    said: ' Done.',
  },
  {
    format: 'qwen-xml',
    text: '<function=write><parameter=text>\nUse </parameter> and <parameter=x> and </function> so.\n\n</parameter>\n</function>',
    calls: [['write', { text: 'Use </parameter> and <parameter=x> and </function> so.\n' }]],
  },
  {
    format: 'qwen-xml',
    text: '<tool_call><function=a><parameter=x>never closed</function></tool_call>\n<tool_call><function=b></function></tool_call>',
    calls: [
      ['a', { x: 'never closed' }],
      ['b', {}],
    ],
    said: '\n',
  },
  {
    format: 'glm',
    text: '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n<arg_key>days</arg_key>\n<arg_value>007</arg_value>\n</tool_call>',
    calls: [['get_weather', { city: 'Paris', days: '007' }]],
  },
  { format: 'glm', text: '<tool_call>get_time</tool_call>', calls: [['get_time', {}]] },
  { format: 'glm', text: '<tool_call>f<arg_key>k<arg_value>v</arg_value></tool_call>', calls: [['f', { k: 'v' }]] },
  {
    format: 'invoke',
    text: 'Yes.\n<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n</minimax:tool_call>',
    calls: [weather],
    said: 'Yes.\n',
  },
  {
    format: 'invoke',
    text: '<function_calls><invoke name="get_weather"><parameter name="city">Paris</parameter></invoke></function_calls>',
    calls: [weather],
  },
  {
    format: 'dsml',
    text: '<｜DSML｜function_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="zip" string="true">007</｜DSML｜parameter>\n<｜DSML｜parameter name="o" string="false">{"n": 5}</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    calls: [['f', { zip: '007', o: { n: 5 } }]],
  },
  {
    format: 'deepseek',
    text: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city":"Paris"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>g\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    calls: [weather, ['g', {}]],
  },
  {
    format: 'deepseek',
    text: 'So: <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city":"Paris"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    calls: [weather],
    said: 'So: ',
  },
  {
    format: 'kimi',
    text: '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Paris"}<|tool_call_end|><|tool_call_begin|>functions.g:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>',
    calls: [weather, ['g', {}]],
  },
  {
    format: 'harmony',
    text: '<|channel|>analysis<|message|>The weather is asked.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city":"Paris"}<|call|>',
    calls: [weather],
    thought: 'The weather is asked.',
  },
  {
    format: 'harmony',
    text: '<|start|>assistant to=functions.get_weather<|channel|>commentary json<|message|>{"city":"Paris"}<|call|><|start|>assistant<|channel|>final<|message|>Done < all.<|return|>',
    calls: [weather],
    said: 'Done < all.',
  },
  {
    format: 'mistral',
    text: '[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Paris"}, "id": "abcdefghi"}, {"name": "g", "arguments": {}}]',
    calls: [weather, ['g', {}]],
  },
  {
    format: 'mistral',
    text: 'Hm.[TOOL_CALLS]get_weather[CALL_ID]abcdefghi[ARGS]{"city": "Paris"}[TOOL_CALLS]g[ARGS]{}',
    calls: [weather, ['g', {}]],
    said: 'Hm.',
  },
  { format: 'json-list', text: '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]', calls: [weather] },
  { format: 'json-list', text: '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]<|/tool_call|>', calls: [weather] },
  { format: 'json-list', text: '<TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Paris"}}]</TOOLCALL>', calls: [weather] },
  {
    format: 'json-list',
    text: '<|START_THINKING|>Look.<|END_THINKING|><|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris"}}\n]<|END_ACTION|>',
    calls: [weather],
    thought: 'Look.',
  },
  { format: 'json-list', text: 'functools[{"name": "get_weather", "arguments": {"city": "Paris"}}]', calls: [weather] },
  { format: 'llama-json', text: '{"name": "get_weather", "parameters": {"city": "Paris"}}', calls: [weather] },
  { format: 'llama-json', text: '[{"name": "get_weather", "arguments": {"city": "Paris"}}]', calls: [weather] },
  {
    format: 'llama-json',
    text: '{"type": "function", "name": "get_weather", "parameters": {"city": "Paris"}}; {"name": "g", "parameters": {}}',
    calls: [weather, ['g', {}]],
  },
  {
    format: 'llama-json',
    text: '<|python_tag|>{"name": "get_weather", "parameters": {"city": "Paris"}}; {"name": "g", "parameters": {}}',
    calls: [weather, ['g', {}]],
  },
  {
    format: 'pythonic',
    text: '[get_weather(city="Paris"), f(x=1, y=[True, None], z=(1, \'two\'), d={"k": {"n": -2.5e3}})]',
    calls: [weather, ['f', { x: 1, y: [true, null], z: [1, 'two'], d: { k: { n: -2500 } } }]],
  },
  {
    format: 'pythonic',
    text: 'I look.<|tool_call_start|>[get_weather(city="Paris"), g()]<|tool_call_end|> Then',
    calls: [weather, ['g', {}]],
    said: 'I look. Then',
  },
  { format: 'pythonic', text: '<|python_tag|>get_weather.call(city="Paris")', calls: [weather] },
  { format: 'pythonic', text: '<function_calls>get_weather(city="Paris")\ng(x=")")</function_calls>', calls: [weather, ['g', { x: ')' }]] },
  {
    format: 'gemma',
    text: '<|channel>thought\nHm.<channel|><|tool_call>call:get_weather{city:<|"|>Paris<|"|>}<tool_call|><|tool_response>',
    calls: [weather],
    thought: 'Hm.',
  },
  { format: 'gemma', text: '<start_function_call>call:get_weather{city:<escape>Paris<escape>}<end_function_call>', calls: [weather] },
  {
    format: 'fenced-json',
    text: 'I look:\n```json\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n```',
    calls: [weather],
    said: 'I look:\n',
  },
  {
    format: 'fenced-json',
    text: '```json\n{"tool": "get_weather", "input": {"city": "Paris"}}\n```\n\n```\n{"tool_name": "g", "parameters": {}}\n```\n',
    calls: [weather, ['g', {}]],
  },
]

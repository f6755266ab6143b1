# Uses a tool that it may not use.
printf '{"tools_used": ["browser"], "tool_calls": 1}' >"$RESULT_JSON"
printf %s "$say"

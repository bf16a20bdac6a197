-- Episodes, step by step. Arguments: a reply, the token. A response says what is due next.
local headers, text = {["Content-Type"] = "application/json"}, ""
local due = {}
function init(args)
  text = '{"text": "' .. args[1] .. '"}'
  if args[2] then headers["Authorization"] = "Bearer " .. args[2] end
end
function request()
  local session = table.remove(due)
  if session then
    return wrk.format("POST", "/sessions/" .. session .. "/replies", headers, text)
  end
  return wrk.format("POST", "/sessions", headers, "{}")
end
function response(status, _, body)
  if status < 300 and body:find('"done": false', 1, true) then
    due[#due + 1] = body:match('"session": "([^"]+)"')
  end
end

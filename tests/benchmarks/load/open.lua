-- Sessions that are opened and left. Arguments: the token.
local headers = {["Content-Type"] = "application/json"}
function init(args)
  if args[1] then headers["Authorization"] = "Bearer " .. args[1] end
end
function request()
  return wrk.format("POST", "/sessions", headers, "{}")
end

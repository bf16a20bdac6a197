-- Steps of an environment that says what it was told, as openenv-core serves it.
local headers = {["Content-Type"] = "application/json"}
function request()
  return wrk.format("POST", "/step", headers, '{"action": {"message": "My Query: XOR 1 2"}}')
end

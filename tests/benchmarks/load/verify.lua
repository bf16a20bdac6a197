-- Batches of single replies. Arguments: a file with one request body a line, the token.
local bodies, headers = {}, {["Content-Type"] = "application/json"}
function init(args)
  for line in io.lines(args[1]) do bodies[#bodies + 1] = line end
  if args[2] then headers["Authorization"] = "Bearer " .. args[2] end
end
local k = 0
function request()
  k = k % #bodies + 1
  return wrk.format("POST", "/verify", headers, bodies[k])
end

-- One batch of single replies again and again: every answer must be the first one, to the letter.
-- Arguments: files with the request body and with the answer that is due.
local body, due, headers = "", "", {["Content-Type"] = "application/json"}
local threads = {}
wrong = 0
function setup(thread) threads[#threads + 1] = thread end
function init(args)
  for line in io.lines(args[1]) do body = line end
  for line in io.lines(args[2]) do due = line end
end
function request() return wrk.format("POST", "/verify", headers, body) end
function response(status, _, said)
  if status ~= 200 or said ~= due then wrong = wrong + 1 end
end
function done()
  local sum = 0
  for _, thread in ipairs(threads) do sum = sum + thread:get("wrong") end
  print("wrong answers: " .. sum)
end

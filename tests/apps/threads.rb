# Threads that use their stacks deeply. Prints answers, then "ready"; ends with its input.
require 'digest'

THREADS = 32
DEPTH = 8000

def descend(depth)
  depth.zero? ? 0 : [depth].map { |one| 1 + descend(one - 1) }.sum
end

over = Queue.new
worked = Queue.new
answers = []
threads = Array.new(THREADS) do |number|
  Thread.new do
    depth = descend(DEPTH + number)
    answers[number] = "#{depth} #{Digest::SHA256.hexdigest(number.to_s * 100_000)}"
    worked << number
    over.pop
  end
end
THREADS.times { worked.pop }
puts answers, 'ready'
$stdout.flush
$stdin.read
over.close
threads.each(&:join)

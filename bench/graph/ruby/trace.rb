# Writes each call between methods of a folder that a program makes:
#   ROOT=folder OUT=calls.tsv ruby -r./trace.rb program
# A line has the file and line of the call, those of the method, and its name.
root = ENV.fetch("ROOT")
seen = {}
trace = TracePoint.new(:call) do |point|
  next unless point.path&.start_with?(root)
  from = caller_locations(2, 1)&.first
  next unless from&.absolute_path&.start_with?(root)
  seen[[from.absolute_path, from.lineno, point.path, point.lineno, point.method_id]] = true
end
at_exit do
  trace.disable
  File.open(ENV.fetch("OUT"), "a") { |file| seen.each_key { |key| file.puts key.join("\t") } }
end
trace.enable

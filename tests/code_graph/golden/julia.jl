#= function none() end =#
module Shop
using Test
import Base: show

const LIMIT = 3
abstract type Thing end

"An item."
mutable struct Item{T} <: Thing
    name::String
    count::T
end

# Sells.
function sell(item::Item, count=1) where {T}
    for i in item.items[1:end]
        if i > 1 println("end") end
    end
end

double(x) = 2x
Base.show(io::IO, item::Item) = print(io, item.name)
@inline function Base.push!(a::Item, b) a end
macro cheap(x) :(x) end
end

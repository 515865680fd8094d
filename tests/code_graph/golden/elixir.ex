defmodule Shop.Items do
  @moduledoc """
  def none, do: 1
  """
  alias Shop.Price
  use GenServer

  @type item :: map
  @callback sell(item) :: :ok
  defstruct [:name]

  # Sells.
  def sell(item, count \\ 1) when count > 0 do
    Enum.map(item, fn one -> price(one) end)
  end

  defp price(%{name: "do"}), do: Price.of(1)
  defp price(_), do: 0

  defmacro cheap?(item) do
    quote do: unquote(item)
  end

  defimpl String.Chars do
    def to_string(item), do: item.name
  end
end

test "sells" do
  assert Shop.Items.sell([])
end

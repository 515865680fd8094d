# frozen_string_literal: true

require "json"
require_relative "shop/item"

# Sells things.
# @deprecated use Store
module Shops
  VERSION = "1.0"
  Point = Struct.new(:x, :y) do
    def length
      Math.sqrt(x * x + y * y)
    end
  end

  # One shop.
  class Shop < Base::Store
    include Enumerable
    extend Forwardable

    attr_accessor :name, :items
    attr_reader "label"

    def initialize(name, items = [], *rest, limit: 1, **options, &block)
      @name = name
      @items = items
    end

    # Opens one.
    def self.open(name)
      new(name)
    end

    class << self
      def hidden; end

      private

      def secret = 1
    end

    def each
      return to_enum unless block_given?

      @items.each { |item| yield item }
    end

    def +(other)
      Shop.new(name + other.name)
    end

    def name=(value)
      @name = value
    end

    def empty? = items.empty?

    alias size count
    alias_method :total, :size
    define_method(:shout) { |text| text.upcase }

    private def inner
      if name
        Point.new(1, 2).length
      end
    end

    private

    def sell(item)
      items.delete(item)
    rescue IndexError => e
      warn e.message
    end

    protected

    def price; 1; end
  end

  class Shop::Error < StandardError; end

  def helper; end
  module_function :helper
end

def top(a)
  Shops::Shop.open(a).each do |item|
    puts item
  end
end

describe Shops::Shop do
  it "sells" do
    expect(top(1)).to eq 1
  end
end

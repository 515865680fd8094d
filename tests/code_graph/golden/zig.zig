// pub fn none() void {}
const std = @import("std");

/// An item.
pub const Item = struct {
    name: []const u8,
    count: u32 = 0,

    pub fn sell(self: *Item, count: u32) !void {
        const left = self.count - count;
        _ = left;
    }
};

const Kind = enum { book, toy };
const ShopError = error{ Closed, Empty };
var opened: bool = false;

export fn open(path: []const u8) callconv(.C) bool {
    const text = "pub fn none() {";
    _ = text;
    return opened;
}

test "sells" {
    try std.testing.expect(open("a"));
}

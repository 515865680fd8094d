#!/usr/bin/env node
const fs = require("fs"), { join, resolve: r } = require("path");
const { deep: { inner } } = require("./deep");
const picked = require("./whole").part;
function Old(a) { this.a = a; }
Old.prototype.late = function () { return this.a; };
Old.make = () => new Old(r(join("x")));
exports.one = Old;
module.exports.two = function named() { return named(); };
module.exports = { Old, three: fs.read, four() { return inner; } };
if (picked) require("./side");

'use strict';
var path = require('path');
const { join, resolve: abs } = require('./paths');
require('side-effect');
const first = require('firsts').first;

/**
 * A point.
 * @constructor
 */
function Point(x) { this.x = x; this.length = function () { return 1; }; }
Point.prototype.move = function (dx) { this.x += dx; };
Point.prototype = { reset: function () {} };
Point.from = function from(a) { return new Point(a); };

exports.made = function () {};
exports.arrow = (a) => a;
module.exports = { Point, join, make() { return Point.from(1); }, size: function (a, b) {} };
module.exports = { first, abs: first };
module.exports = Point;
exports.other = Point;
module.exports.Extra = class { go() {} };

class Shape extends Base.Inner {
  static #count = 1;
  area = () => 0;
  constructor() { super(); }
  static async make() { return await import('./lazy'); }
  get #hidden() { return Shape.#count; }
  static { boot(); }
}
class Mixed extends mix(Shape) {}

var self = function recursive(n) { return n ? recursive(n - 1) : join; };
app.get('/', function handler(req, res) { res.send(join(req)); });
(function () { function hidden() {} window.shown = function () {}; })();
Vue.component('my-thing', { data: function () {}, methods: { click() {} } });
export default { name: 'x', methods: { press() {} } };

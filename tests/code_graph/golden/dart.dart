// class None {}
import 'package:shop/items.dart';

typedef Done = void Function(int count);
const limit = 3;

/// An item.
abstract class Item<T extends Object> extends Thing implements Priced {
  final String name;
  static int count = 0;

  Item(this.name);
  Item.named({required this.name}) : super();
  factory Item.of(Map<String, List<int>> map) => Item('x');

  @override
  Future<void> sell(int count, {bool now = false}) async {
    if (count > 1) {
      print('class None { $name }');
    }
  }

  int get price => 1;
  set price(int value) {}
  bool operator ==(Object other) => true;
  void later();
}

mixin Priced on Thing {}
enum Kind { book, toy }
extension Shown on Item {
  String show() => name;
}

void main(List<String> arguments) {
  Item('a').sell(1);
}

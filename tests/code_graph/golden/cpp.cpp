#include <vector>

using namespace std;
using std::string;

namespace shop::front {
namespace {
int hidden;
}

/// What is sold.
template <typename T, int N = 3>
class Order : public Base<T>, private virtual store::Kept {
 public:
  Order(int a);
  explicit Order() : count_(1) {}
  virtual ~Order() = default;
  Order& operator=(const Order&) = delete;
  bool operator()(int) const { return true; }
  operator bool() const { return count_; }
  template <class U>
  void each(U u) { u.run(); }
  static constexpr int K = 1;
  friend class Till;
  friend void closes(int);
  friend bool same(const Order& a) { return true; }
  using value_type = T;
  typedef int count_type;

 protected:
  virtual void pure() const noexcept = 0;

 private:
  int count_, *next_ = nullptr;
  enum class Kind : char { A, B };
  struct Inner { int z; };
  MACRO_OF_MEMBERS(Order)
};

template <>
struct hash<Order<int>> {};

template <typename T>
int Order<T>::method(int a) const {
  return helper<T>(a) + std::max(1, 2);
}
Order::Order(int a) : count_(a) {
  new Thing(a);
}
Order::~Order() {}
Order::operator int() const { return 1; }
int Order::total = 3;
void Elsewhere::away() {}
bool operator==(const A& a, const B& b) { return a.first().second(); }

template <typename T>
concept Small = sizeof(T) < 4;
using Alias = std::vector<int>;
union Both { int a; };
constexpr int Limit = 2;
auto twice = [](int x) { return x + x; };

inline auto nested() -> int {
  if (true) {
    struct Local { int q; };
  }
  return 1;
}

class SHOP_EXPORT Exported : public Base {
  void m();
};

TEST(Suite, Case) {
  EXPECT_EQ(1, 2);
}
}  // namespace shop::front

#include <vector>
namespace a::b { namespace { int x; } }
namespace fs = std::filesystem;
using namespace std;
using a::b::c;
using A = std::vector<int>;
template<typename T, int N = 3, class... U> class K : public Base<T>, private ns::Other {
 public:
  K(int a) : Base<T>(a), m_{b} {}
  virtual ~K() = default;
  T get() const override { return this->m_; }
  auto f() -> std::vector<T>&;
  operator bool() const;
  K& operator+=(const K& o);
  int m_ = 3;
  static constexpr int z{4};
  friend class F;
  using Base<T>::foo;
  enum class E : int { A, B };
};
template<typename T> void K<T>::run(std::map<std::string, T>& m, auto&& x) {
  for (const auto& [k, v] : m) { v.go(); }
  for (auto& e : items()) e->x();
  auto l = [this, &a, b = c](int q) -> int { return q; };
  auto p = std::make_unique<Foo>(1, 2);
  Foo* f = new Foo(1); new (buf) ns::Foo<int>{2}; delete f;
  Foo g(1, 2); Foo h{3}; auto w = Foo{4}; Foo arr[3] = {a, b};
  static_cast<Foo*>(x)->y(); dynamic_cast<A&>(z);
  if (auto it = m.find(k); it != m.end()) { it->second.call<int>(3); }
  try { throw Err("x"); } catch (const Err& e) { e.what(); } catch (...) {}
  co_return co_await z; obj.template foo<int>(); ::global(); decltype(x) dd = 4;
  K::stat(); x = y ? *z : (Foo)q; sizeof(Foo); int Foo::*pm; requires_fn<A>();
  return std::move(x);
}
template<> struct S<int> { int a; };
concept C = requires(T t) { t.foo(); };
class Fwd;
extern "C" { void cfun(int); }
[[nodiscard]] int attr();
static Foo foo = Foo::create();
int (*fp)(int) = &bar;
using Fn = std::function<void(int, Foo*)>;
struct Z { Foo* p; std::unique_ptr<Foo> q; void m(Foo const& x, int n = 3) noexcept; };
MACRO(x) { foo(); }
enum Color { R = 1 };
void Outer::Inner::deep() {}

#include "lib/build/std_shims.hpp"

namespace cudahot::build {
namespace {

constexpr const char* kTypeTraits = R"(#pragma once
namespace std {
template <class T, T v> struct integral_constant {
  static constexpr T value = v;
  using value_type = T;
  using type = integral_constant;
  constexpr operator T() const { return v; }
};
template <bool b> using bool_constant = integral_constant<bool, b>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;
template <bool b, class T, class F> struct conditional { using type = T; };
template <class T, class F> struct conditional<false, T, F> { using type = F; };
template <bool b, class T, class F> using conditional_t = typename conditional<b, T, F>::type;
template <bool b, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { using type = T; };
template <bool b, class T = void> using enable_if_t = typename enable_if<b, T>::type;
template <class...> using void_t = void;
template <class T> struct remove_const { using type = T; };
template <class T> struct remove_const<const T> { using type = T; };
template <class T> struct remove_volatile { using type = T; };
template <class T> struct remove_volatile<volatile T> { using type = T; };
template <class T> struct remove_cv { using type = typename remove_const<typename remove_volatile<T>::type>::type; };
template <class T> struct remove_reference { using type = T; };
template <class T> struct remove_reference<T&> { using type = T; };
template <class T> struct remove_reference<T&&> { using type = T; };
template <class T> struct remove_pointer { using type = T; };
template <class T> struct remove_pointer<T*> { using type = T; };
template <class T> struct remove_extent { using type = T; };
template <class T> struct remove_extent<T[]> { using type = T; };
template <class T, size_t n> struct remove_extent<T[n]> { using type = T; };
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> using remove_volatile_t = typename remove_volatile<T>::type;
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> using remove_pointer_t = typename remove_pointer<T>::type;
template <class T> using remove_extent_t = typename remove_extent<T>::type;
template <class T> struct add_const { using type = const T; };
template <class T> using add_const_t = typename add_const<T>::type;
template <class T> struct add_volatile { using type = volatile T; };
template <class T> using add_volatile_t = typename add_volatile<T>::type;
template <class T> struct add_cv { using type = const volatile T; };
template <class T> using add_cv_t = typename add_cv<T>::type;
template <class T> struct add_pointer { using type = remove_reference_t<T>*; };
template <class T> using add_pointer_t = typename add_pointer<T>::type;
template <class A, class B> struct is_same : false_type {};
template <class A> struct is_same<A, A> : true_type {};
template <class A, class B> inline constexpr bool is_same_v = is_same<A, B>::value;
template <class T> struct is_void : is_same<void, remove_cv_t<T>> {};
template <class T> inline constexpr bool is_void_v = is_void<T>::value;
template <class T> struct is_const : false_type {};
template <class T> struct is_const<const T> : true_type {};
template <class T> inline constexpr bool is_const_v = is_const<T>::value;
template <class T> struct is_pointer : false_type {};
template <class T> struct is_pointer<T*> : true_type {};
template <class T> struct is_pointer<T* const> : true_type {};
template <class T> inline constexpr bool is_pointer_v = is_pointer<T>::value;
template <class T> struct is_reference : false_type {};
template <class T> struct is_reference<T&> : true_type {};
template <class T> struct is_reference<T&&> : true_type {};
template <class T> inline constexpr bool is_reference_v = is_reference<T>::value;
template <class T> struct is_array : false_type {};
template <class T> struct is_array<T[]> : true_type {};
template <class T, size_t n> struct is_array<T[n]> : true_type {};
template <class T> inline constexpr bool is_array_v = is_array<T>::value;
template <class T, class... List> inline constexpr bool cudahot_is_one_of = (is_same_v<remove_cv_t<T>, List> || ...);
template <class T> struct is_integral
    : bool_constant<cudahot_is_one_of<T, bool, char, signed char, unsigned char, wchar_t, char16_t, char32_t, short,
                                      unsigned short, int, unsigned, long, unsigned long, long long,
                                      unsigned long long>> {};
template <class T> inline constexpr bool is_integral_v = is_integral<T>::value;
template <class T> struct is_floating_point : bool_constant<cudahot_is_one_of<T, float, double, long double>> {};
template <class T> inline constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <class T> struct is_arithmetic : bool_constant<is_integral_v<T> || is_floating_point_v<T>> {};
template <class T> inline constexpr bool is_arithmetic_v = is_arithmetic<T>::value;
template <class T, bool = is_arithmetic_v<T>> struct is_signed : bool_constant<(T(-1) < T(0))> {};
template <class T> struct is_signed<T, false> : false_type {};
template <class T> inline constexpr bool is_signed_v = is_signed<T>::value;
template <class T> struct is_unsigned : bool_constant<is_arithmetic_v<T> && !is_signed_v<T>> {};
template <class T> inline constexpr bool is_unsigned_v = is_unsigned<T>::value;
template <class T> struct is_enum : bool_constant<__is_enum(T)> {};
template <class T> inline constexpr bool is_enum_v = is_enum<T>::value;
template <class T> struct is_class : bool_constant<__is_class(T)> {};
template <class T> inline constexpr bool is_class_v = is_class<T>::value;
template <class T> struct is_trivially_copyable : bool_constant<__is_trivially_copyable(T)> {};
template <class T> inline constexpr bool is_trivially_copyable_v = is_trivially_copyable<T>::value;
template <class T> struct is_union : bool_constant<__is_union(T)> {};
template <class T> struct is_empty : bool_constant<__is_empty(T)> {};
template <class T> struct is_final : bool_constant<__is_final(T)> {};
template <class T> struct is_abstract : bool_constant<__is_abstract(T)> {};
template <class T> struct is_polymorphic : bool_constant<__is_polymorphic(T)> {};
template <class T> struct is_trivial : bool_constant<__is_trivial(T)> {};
template <class T> struct is_standard_layout : bool_constant<__is_standard_layout(T)> {};
template <class T> struct is_pod : bool_constant<__is_trivial(T) && __is_standard_layout(T)> {};
template <class T, class... A> struct is_constructible : bool_constant<__is_constructible(T, A...)> {};
template <class T, class... A> struct is_nothrow_constructible : bool_constant<__is_nothrow_constructible(T, A...)> {};
template <class T, class... A>
struct is_trivially_constructible : bool_constant<__is_trivially_constructible(T, A...)> {};
template <class T, class U> struct is_assignable : bool_constant<__is_assignable(T, U)> {};
template <class T, class U> struct is_nothrow_assignable : bool_constant<__is_nothrow_assignable(T, U)> {};
template <class T, class U> struct is_trivially_assignable : bool_constant<__is_trivially_assignable(T, U)> {};
#define CUDAHOT_CONSTRUCTIBLE(how)                                                              \
  template <class T> struct is_##how##default_constructible : is_##how##constructible<T> {};    \
  template <class T> struct is_##how##copy_constructible : is_##how##constructible<T, const T&> {}; \
  template <class T> struct is_##how##move_constructible : is_##how##constructible<T, T&&> {};  \
  template <class T> struct is_##how##copy_assignable : is_##how##assignable<T&, const T&> {};  \
  template <class T> struct is_##how##move_assignable : is_##how##assignable<T&, T&&> {};
CUDAHOT_CONSTRUCTIBLE()
CUDAHOT_CONSTRUCTIBLE(nothrow_)
CUDAHOT_CONSTRUCTIBLE(trivially_)
#undef CUDAHOT_CONSTRUCTIBLE
template <class T> struct is_volatile : false_type {};
template <class T> struct is_volatile<volatile T> : true_type {};
template <class T> struct is_lvalue_reference : false_type {};
template <class T> struct is_lvalue_reference<T&> : true_type {};
template <class T> struct is_rvalue_reference : false_type {};
template <class T> struct is_rvalue_reference<T&&> : true_type {};
template <class T> struct is_null_pointer : is_same<decltype(nullptr), remove_cv_t<T>> {};
template <class T> struct is_fundamental
    : bool_constant<is_arithmetic_v<T> || is_void_v<T> || is_null_pointer<T>::value> {};
template <class...> struct conjunction : true_type {};
template <class B> struct conjunction<B> : B {};
template <class B, class... R> struct conjunction<B, R...> : conditional_t<bool(B::value), conjunction<R...>, B> {};
template <class...> struct disjunction : false_type {};
template <class B> struct disjunction<B> : B {};
template <class B, class... R> struct disjunction<B, R...> : conditional_t<bool(B::value), B, disjunction<R...>> {};
template <class B> struct negation : bool_constant<!bool(B::value)> {};
template <class T> struct remove_cvref { using type = remove_cv_t<remove_reference_t<T>>; };
template <class T> using remove_cvref_t = typename remove_cvref<T>::type;
template <class T> struct type_identity { using type = T; };
template <class T> using type_identity_t = typename type_identity<T>::type;
template <class T> struct alignment_of : integral_constant<size_t, alignof(T)> {};
template <class T> inline constexpr bool is_union_v = is_union<T>::value;
template <class T> inline constexpr bool is_empty_v = is_empty<T>::value;
template <class T> inline constexpr bool is_final_v = is_final<T>::value;
template <class T> inline constexpr bool is_abstract_v = is_abstract<T>::value;
template <class T> inline constexpr bool is_polymorphic_v = is_polymorphic<T>::value;
template <class T> inline constexpr bool is_trivial_v = is_trivial<T>::value;
template <class T> inline constexpr bool is_standard_layout_v = is_standard_layout<T>::value;
template <class T> inline constexpr bool is_pod_v = is_pod<T>::value;
template <class T> inline constexpr bool is_volatile_v = is_volatile<T>::value;
template <class T> inline constexpr bool is_lvalue_reference_v = is_lvalue_reference<T>::value;
template <class T> inline constexpr bool is_rvalue_reference_v = is_rvalue_reference<T>::value;
template <class T> inline constexpr bool is_null_pointer_v = is_null_pointer<T>::value;
template <class T> inline constexpr bool is_fundamental_v = is_fundamental<T>::value;
template <class T> inline constexpr size_t alignment_of_v = alignment_of<T>::value;
template <class T> inline constexpr bool negation_v = negation<T>::value;
template <class T> inline constexpr bool is_default_constructible_v = is_default_constructible<T>::value;
template <class T> inline constexpr bool is_copy_constructible_v = is_copy_constructible<T>::value;
template <class T> inline constexpr bool is_move_constructible_v = is_move_constructible<T>::value;
template <class T> inline constexpr bool is_copy_assignable_v = is_copy_assignable<T>::value;
template <class T> inline constexpr bool is_move_assignable_v = is_move_assignable<T>::value;
template <class T> inline constexpr bool is_nothrow_default_constructible_v = is_nothrow_default_constructible<T>::value;
template <class T> inline constexpr bool is_nothrow_copy_constructible_v = is_nothrow_copy_constructible<T>::value;
template <class T> inline constexpr bool is_nothrow_move_constructible_v = is_nothrow_move_constructible<T>::value;
template <class T> inline constexpr bool is_nothrow_copy_assignable_v = is_nothrow_copy_assignable<T>::value;
template <class T> inline constexpr bool is_nothrow_move_assignable_v = is_nothrow_move_assignable<T>::value;
template <class T> inline constexpr bool is_trivially_default_constructible_v = is_trivially_default_constructible<T>::value;
template <class T> inline constexpr bool is_trivially_copy_constructible_v = is_trivially_copy_constructible<T>::value;
template <class T> inline constexpr bool is_trivially_move_constructible_v = is_trivially_move_constructible<T>::value;
template <class T> inline constexpr bool is_trivially_copy_assignable_v = is_trivially_copy_assignable<T>::value;
template <class T> inline constexpr bool is_trivially_move_assignable_v = is_trivially_move_assignable<T>::value;
template <class T, class U> inline constexpr bool is_assignable_v = is_assignable<T, U>::value;
template <class T, class U> inline constexpr bool is_nothrow_assignable_v = is_nothrow_assignable<T, U>::value;
template <class T, class U> inline constexpr bool is_trivially_assignable_v = is_trivially_assignable<T, U>::value;
template <class T, class... A> inline constexpr bool is_constructible_v = is_constructible<T, A...>::value;
template <class T, class... A> inline constexpr bool is_nothrow_constructible_v = is_nothrow_constructible<T, A...>::value;
template <class T, class... A> inline constexpr bool is_trivially_constructible_v = is_trivially_constructible<T, A...>::value;
template <class... B> inline constexpr bool conjunction_v = conjunction<B...>::value;
template <class... B> inline constexpr bool disjunction_v = disjunction<B...>::value;
template <class B, class D> struct is_base_of : bool_constant<__is_base_of(B, D)> {};
template <class B, class D> inline constexpr bool is_base_of_v = is_base_of<B, D>::value;
template <class F, class T> struct is_convertible : bool_constant<__is_convertible_to(F, T)> {};
template <class F, class T> inline constexpr bool is_convertible_v = is_convertible<F, T>::value;
template <class T> struct underlying_type { using type = __underlying_type(T); };
template <class T> using underlying_type_t = typename underlying_type<T>::type;
template <class T> T&& declval() noexcept;
template <class, class F, class... A> struct cudahot_invoke_result {};
template <class F, class... A>
struct cudahot_invoke_result<void_t<decltype(declval<F>()(declval<A>()...))>, F, A...> {
  using type = decltype(declval<F>()(declval<A>()...));
};
template <class F, class... A> struct invoke_result : cudahot_invoke_result<void, F, A...> {};
template <class F, class... A> using invoke_result_t = typename invoke_result<F, A...>::type;
template <class T> struct decay {
  using U = remove_reference_t<T>;
  using type = conditional_t<is_array_v<U>, remove_extent_t<U>*, remove_cv_t<U>>;
};
template <class T> using decay_t = typename decay<T>::type;
template <class... T> struct common_type;
template <class T> struct common_type<T> { using type = decay_t<T>; };
template <class A, class B> struct common_type<A, B> {
  using type = decay_t<decltype(true ? declval<A>() : declval<B>())>;
};
template <class A, class B, class... R> struct common_type<A, B, R...>
    : common_type<typename common_type<A, B>::type, R...> {};
template <class... T> using common_type_t = typename common_type<T...>::type;
template <class T> struct make_unsigned { using type = T; };
template <> struct make_unsigned<char> { using type = unsigned char; };
template <> struct make_unsigned<signed char> { using type = unsigned char; };
template <> struct make_unsigned<short> { using type = unsigned short; };
template <> struct make_unsigned<int> { using type = unsigned; };
template <> struct make_unsigned<long> { using type = unsigned long; };
template <> struct make_unsigned<long long> { using type = unsigned long long; };
template <class T> using make_unsigned_t = typename make_unsigned<T>::type;
template <class T> struct make_signed { using type = T; };
template <> struct make_signed<char> { using type = signed char; };
template <> struct make_signed<unsigned char> { using type = signed char; };
template <> struct make_signed<unsigned short> { using type = short; };
template <> struct make_signed<unsigned> { using type = int; };
template <> struct make_signed<unsigned long> { using type = long; };
template <> struct make_signed<unsigned long long> { using type = long long; };
template <class T> using make_signed_t = typename make_signed<T>::type;
}
)";

// std::move and std::forward are built in.
constexpr const char* kUtility = R"(#pragma once
#include <type_traits>
namespace std {
template <class T> constexpr void swap(T& a, T& b) noexcept {
  T kept = static_cast<T&&>(a);
  a = static_cast<T&&>(b);
  b = static_cast<T&&>(kept);
}
template <class T, class U = T> constexpr T exchange(T& object, U&& value) {
  T old = static_cast<T&&>(object);
  object = static_cast<U&&>(value);
  return old;
}
template <class A, class B> struct pair {
  using first_type = A;
  using second_type = B;
  A first;
  B second;
};
template <class A, class B> pair(A, B) -> pair<A, B>;
template <class A, class B> constexpr pair<decay_t<A>, decay_t<B>> make_pair(A&& a, B&& b) {
  return {static_cast<A&&>(a), static_cast<B&&>(b)};
}
}
)";

constexpr const char* kAlgorithm = R"(#pragma once
#include <utility>
namespace std {
template <class T> constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T> constexpr const T& clamp(const T& value, const T& low, const T& high) {
  return value < low ? low : high < value ? high : value;
}
}
)";

constexpr const char* kArray = R"(#pragma once
#include <stddef.h>
namespace std {
template <class T, size_t n> struct array {
  T elements[n];
  constexpr T& operator[](size_t i) { return elements[i]; }
  constexpr const T& operator[](size_t i) const { return elements[i]; }
  constexpr size_t size() const { return n; }
  constexpr T* data() { return elements; }
  constexpr const T* data() const { return elements; }
  constexpr T* begin() { return elements; }
  constexpr const T* begin() const { return elements; }
  constexpr T* end() { return elements + n; }
  constexpr const T* end() const { return elements + n; }
};
template <class T, class... R> array(T, R...) -> array<T, 1 + sizeof...(R)>;
}
)";

constexpr const char* kFunctional = R"(#pragma once
namespace std {
#define CUDAHOT_BINARY(name, result, operation)                                                   \
  template <class T = void> struct name {                                                         \
    using result_type = result;                                                                   \
    using first_argument_type = T;                                                                \
    using second_argument_type = T;                                                               \
    constexpr result operator()(const T& a, const T& b) const { return a operation b; }           \
  };                                                                                              \
  template <> struct name<void> {                                                                 \
    using is_transparent = void;                                                                  \
    template <class A, class B> constexpr auto operator()(A&& a, B&& b) const                     \
        -> decltype(static_cast<A&&>(a) operation static_cast<B&&>(b)) {                          \
      return static_cast<A&&>(a) operation static_cast<B&&>(b);                                   \
    }                                                                                             \
  };
#define CUDAHOT_UNARY(name, result, operation)                                                    \
  template <class T = void> struct name {                                                         \
    using result_type = result;                                                                   \
    using argument_type = T;                                                                      \
    constexpr result operator()(const T& a) const { return operation a; }                         \
  };                                                                                              \
  template <> struct name<void> {                                                                 \
    using is_transparent = void;                                                                  \
    template <class A> constexpr auto operator()(A&& a) const -> decltype(operation static_cast<A&&>(a)) { \
      return operation static_cast<A&&>(a);                                                       \
    }                                                                                             \
  };
CUDAHOT_BINARY(plus, T, +)
CUDAHOT_BINARY(minus, T, -)
CUDAHOT_BINARY(multiplies, T, *)
CUDAHOT_BINARY(divides, T, /)
CUDAHOT_BINARY(modulus, T, %)
CUDAHOT_BINARY(bit_and, T, &)
CUDAHOT_BINARY(bit_or, T, |)
CUDAHOT_BINARY(bit_xor, T, ^)
CUDAHOT_BINARY(equal_to, bool, ==)
CUDAHOT_BINARY(not_equal_to, bool, !=)
CUDAHOT_BINARY(less, bool, <)
CUDAHOT_BINARY(less_equal, bool, <=)
CUDAHOT_BINARY(greater, bool, >)
CUDAHOT_BINARY(greater_equal, bool, >=)
CUDAHOT_BINARY(logical_and, bool, &&)
CUDAHOT_BINARY(logical_or, bool, ||)
CUDAHOT_UNARY(negate, T, -)
CUDAHOT_UNARY(bit_not, T, ~)
CUDAHOT_UNARY(logical_not, bool, !)
#undef CUDAHOT_BINARY
#undef CUDAHOT_UNARY
}
)";

constexpr const char* kLimits = R"(#pragma once
#include <limits.h>
#include <float.h>
namespace std {
enum float_round_style {
  round_indeterminate = -1, round_toward_zero, round_to_nearest, round_toward_infinity, round_toward_neg_infinity
};
enum float_denorm_style { denorm_indeterminate = -1, denorm_absent, denorm_present };
struct cudahot_limits_base {
  static constexpr bool is_specialized = false, is_signed = false, is_integer = false, is_exact = false,
                        has_infinity = false, has_quiet_NaN = false, has_signaling_NaN = false,
                        has_denorm_loss = false, is_iec559 = false, is_bounded = false, is_modulo = false,
                        traps = false, tinyness_before = false;
  static constexpr int digits = 0, digits10 = 0, max_digits10 = 0, radix = 0, min_exponent = 0, min_exponent10 = 0,
                       max_exponent = 0, max_exponent10 = 0;
  static constexpr float_denorm_style has_denorm = denorm_absent;
  static constexpr float_round_style round_style = round_toward_zero;
};
template <class T> struct numeric_limits : cudahot_limits_base {
  static constexpr T min() noexcept { return T(); }
  static constexpr T max() noexcept { return T(); }
  static constexpr T lowest() noexcept { return T(); }
  static constexpr T epsilon() noexcept { return T(); }
  static constexpr T round_error() noexcept { return T(); }
  static constexpr T infinity() noexcept { return T(); }
  static constexpr T quiet_NaN() noexcept { return T(); }
  static constexpr T signaling_NaN() noexcept { return T(); }
  static constexpr T denorm_min() noexcept { return T(); }
};
template <class T> struct numeric_limits<const T> : numeric_limits<T> {};
template <class T> struct numeric_limits<volatile T> : numeric_limits<T> {};
template <class T> struct numeric_limits<const volatile T> : numeric_limits<T> {};
#define CUDAHOT_INTEGER_LIMITS(T, low, high, bits, negative)                                                  \
  template <> struct numeric_limits<T> : cudahot_limits_base {                                                \
    static constexpr bool is_specialized = true, is_integer = true, is_exact = true, is_signed = negative,    \
                          is_bounded = true, is_modulo = !negative && bits != 1, traps = true;                \
    static constexpr int digits = bits, digits10 = bits * 643L / 2136, radix = 2;                             \
    static constexpr T min() noexcept { return low; }                                                         \
    static constexpr T max() noexcept { return high; }                                                        \
    static constexpr T lowest() noexcept { return low; }                                                      \
    static constexpr T epsilon() noexcept { return 0; }                                                       \
    static constexpr T round_error() noexcept { return 0; }                                                   \
    static constexpr T infinity() noexcept { return 0; }                                                      \
    static constexpr T quiet_NaN() noexcept { return 0; }                                                     \
    static constexpr T signaling_NaN() noexcept { return 0; }                                                 \
    static constexpr T denorm_min() noexcept { return 0; }                                                    \
  };
CUDAHOT_INTEGER_LIMITS(bool, false, true, 1, false)
CUDAHOT_INTEGER_LIMITS(char, CHAR_MIN, CHAR_MAX, 7, true)
CUDAHOT_INTEGER_LIMITS(signed char, SCHAR_MIN, SCHAR_MAX, 7, true)
CUDAHOT_INTEGER_LIMITS(unsigned char, 0, UCHAR_MAX, 8, false)
CUDAHOT_INTEGER_LIMITS(short, SHRT_MIN, SHRT_MAX, 15, true)
CUDAHOT_INTEGER_LIMITS(unsigned short, 0, USHRT_MAX, 16, false)
CUDAHOT_INTEGER_LIMITS(int, INT_MIN, INT_MAX, 31, true)
CUDAHOT_INTEGER_LIMITS(unsigned, 0, UINT_MAX, 32, false)
CUDAHOT_INTEGER_LIMITS(long, LONG_MIN, LONG_MAX, 63, true)
CUDAHOT_INTEGER_LIMITS(unsigned long, 0, ULONG_MAX, 64, false)
CUDAHOT_INTEGER_LIMITS(long long, LLONG_MIN, LLONG_MAX, 63, true)
CUDAHOT_INTEGER_LIMITS(unsigned long long, 0, ULLONG_MAX, 64, false)
CUDAHOT_INTEGER_LIMITS(wchar_t, INT_MIN, INT_MAX, 31, true)
CUDAHOT_INTEGER_LIMITS(char16_t, 0, USHRT_MAX, 16, false)
CUDAHOT_INTEGER_LIMITS(char32_t, 0, UINT_MAX, 32, false)
#undef CUDAHOT_INTEGER_LIMITS
#define CUDAHOT_FLOATING_LIMITS(T, prefix, decimals, low, low10, high, high10, bits_of)                       \
  template <> struct numeric_limits<T> : cudahot_limits_base {                                                \
    static constexpr bool is_specialized = true, is_signed = true, has_infinity = true, has_quiet_NaN = true, \
                          has_signaling_NaN = true, is_iec559 = true, is_bounded = true;                      \
    static constexpr int digits = prefix##_MANT_DIG, digits10 = prefix##_DIG, max_digits10 = decimals, radix = 2, \
                         min_exponent = low, min_exponent10 = low10, max_exponent = high, max_exponent10 = high10; \
    static constexpr float_denorm_style has_denorm = denorm_present;                                          \
    static constexpr float_round_style round_style = round_to_nearest;                                        \
    static constexpr T min() noexcept { return prefix##_MIN; }                                                \
    static constexpr T max() noexcept { return prefix##_MAX; }                                                \
    static constexpr T lowest() noexcept { return -prefix##_MAX; }                                            \
    static constexpr T epsilon() noexcept { return prefix##_EPSILON; }                                        \
    static constexpr T round_error() noexcept { return static_cast<T>(0.5); }                                  \
    static constexpr T infinity() noexcept { return bits_of(0x7f800000, 0x7ff0000000000000); }                \
    static constexpr T quiet_NaN() noexcept { return bits_of(0x7fc00000, 0x7ff8000000000000); }               \
    static constexpr T signaling_NaN() noexcept { return bits_of(0x7fa00000, 0x7ff4000000000000); }           \
    static constexpr T denorm_min() noexcept { return bits_of(1, 1LL); }                                      \
  };
#define CUDAHOT_FLOAT_BITS(single, two) __builtin_bit_cast(float, single)
#define CUDAHOT_DOUBLE_BITS(single, two) __builtin_bit_cast(double, two)
CUDAHOT_FLOATING_LIMITS(float, FLT, 9, -125, -37, 128, 38, CUDAHOT_FLOAT_BITS)
CUDAHOT_FLOATING_LIMITS(double, DBL, 17, -1021, -307, 1024, 308, CUDAHOT_DOUBLE_BITS)
// The device's is a double.
CUDAHOT_FLOATING_LIMITS(long double, DBL, 17, -1021, -307, 1024, 308, CUDAHOT_DOUBLE_BITS)
#undef CUDAHOT_FLOATING_LIMITS
#undef CUDAHOT_FLOAT_BITS
#undef CUDAHOT_DOUBLE_BITS
}
)";

constexpr const char* kConcepts = R"(#pragma once
#include <type_traits>
#include <utility>
#if __cplusplus >= 202002L
namespace std {
template <class A, class B> concept same_as = is_same_v<A, B> && is_same_v<B, A>;
template <class F, class T> concept convertible_to = is_convertible_v<F, T> && requires { static_cast<T>(declval<F>()); };
template <class D, class B> concept derived_from = __is_base_of(B, D) && is_convertible_v<const volatile D*, const volatile B*>;
template <class T> concept integral = is_integral_v<T>;
template <class T> concept signed_integral = integral<T> && is_signed_v<T>;
template <class T> concept unsigned_integral = integral<T> && !signed_integral<T>;
template <class T> concept floating_point = is_floating_point_v<T>;
template <class F, class... A> concept invocable = requires(F&& function, A&&... arguments) {
  static_cast<F&&>(function)(static_cast<A&&>(arguments)...);
};
template <class F, class... A> concept regular_invocable = invocable<F, A...>;
template <class T> concept destructible = requires(T& value) { value.~T(); };
template <class T, class... A> concept constructible_from = destructible<T> && __is_constructible(T, A...);
template <class T> concept default_initializable = constructible_from<T> && requires { T{}; };
template <class T> concept move_constructible = constructible_from<T, T> && convertible_to<T, T>;
template <class T> concept copy_constructible = move_constructible<T> && constructible_from<T, const T&>;
template <class T, class U> concept assignable_from = requires(T left, U&& right) {
  { left = static_cast<U&&>(right) } -> same_as<T>;
};
template <class T> concept equality_comparable = requires(const remove_reference_t<T>& a, const remove_reference_t<T>& b) {
  { a == b } -> convertible_to<bool>;
  { a != b } -> convertible_to<bool>;
};
template <class T> concept totally_ordered = equality_comparable<T> &&
                                             requires(const remove_reference_t<T>& a, const remove_reference_t<T>& b) {
  { a < b } -> convertible_to<bool>;
  { a > b } -> convertible_to<bool>;
  { a <= b } -> convertible_to<bool>;
  { a >= b } -> convertible_to<bool>;
};
}
#endif
)";

}  // namespace

const std::vector<std::pair<std::string, std::string>>& std_shims() {
  static const auto all = [] {
    std::vector<std::pair<std::string, std::string>> shims = c_shims();
    shims.insert(shims.end(), {{"algorithm", kAlgorithm},
                               {"array", kArray},
                               {"complex", complex_shim()},
                               {"concepts", kConcepts},
                               {"functional", kFunctional},
                               {"limits", kLimits},
                               {"type_traits", kTypeTraits},
                               {"utility", kUtility}});
    return shims;
  }();
  return all;
}

}  // namespace cudahot::build

// Which instances of kernel templates are found, and `#pragma cudahot instantiate`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_tu.hpp"

namespace cudahot::extract {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr const char* kTemplate = R"cu(template <class T, int N = 1> __global__ void shade(T* p) {
#pragma cudahot begin(r)
  *p = N;
#pragma cudahot end
}
)cu";

std::vector<std::string> instances(const std::string& source) {
  const region::Slice slice = TestTu(source).slice();
  std::vector<std::string> list;
  for (const region::Kernel& kernel : slice.kernels) list.push_back(kernel.name_expression);
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
  return list;
}

struct Use {
  const char* name;
  const char* before;
  const char* after;
};
std::ostream& operator<<(std::ostream& out, const Use& use) { return out << use.name; }
class Instances : public testing::TestWithParam<Use> {};

TEST_P(Instances, AreFoundWhereTheFileNamesThem) {
  EXPECT_THAT(instances(std::string(GetParam().before) + kTemplate + GetParam().after), ElementsAre("shade<float, 1>"));
}

INSTANTIATE_TEST_SUITE_P(
    Use, Instances,
    testing::Values(
        Use{"Launch", "", "void host(float* p) { shade<float><<<1, 1>>>(p); }"},
        Use{"LaunchWithDeducedArguments", "", "void host(float* p) { shade<<<1, 1>>>(p); }"},
        Use{"LaunchBeforeTheDefinition",
            "template <class T, int N> __global__ void shade(T* p);\n"
            "void host(float* p) { shade<float, 1><<<1, 1>>>(p); }\n",
            ""},
        Use{"LaunchInALambda", "", "void host(float* p) { auto go = [=] { shade<<<1, 1>>>(p); }; go(); }"},
        Use{"LaunchInAGenericLambda", "",
            "void host(float* p) { auto go = [](auto* q) { shade<<<1, 1>>>(q); }; go(p); }"},
        Use{"LaunchInAHostTemplate", "",
            "template <class T> void run(T* p) { shade<T><<<1, 1>>>(p); }\nvoid host(float* p) { run(p); }"},
        Use{"LaunchThroughAHostTemplateThatComesFirst",
            "template <class K, class... A> void run(K kernel, A... a) { kernel<<<1, 1>>>(a...); }\n",
            "void host(float* p) { run(shade<float>, p); }"},
        Use{"LaunchInAMember", "", "struct App { float* p; void draw() { shade<float><<<1, 1>>>(p); } };"},
        Use{"LaunchInAMacro", "#define LAUNCH(k, p) k<<<1, 1>>>(p)\n",
            "void host(float* p) { LAUNCH(shade<float>, p); }"},
        Use{"ExplicitInstantiation", "", "template __global__ void shade<float>(float*);"},
        Use{"FunctionPointer", "", "void host() { void (*k)(float*) = &shade<float>; (void)k; }"},
        Use{"GlobalTable", "", "using K = void (*)(float*);\nK table[] = {shade<float>};"},
        Use{"LaunchKernelCall", "",
            "void host(void** a) { cudaLaunchKernel((const void*)shade<float>, dim3(1), dim3(1), a, 0, nullptr); }"},
        Use{"AttributeCall", "",
            "void host() { cudaFuncSetAttribute(shade<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, 1); }"},
        Use{"Request", "", "#pragma cudahot instantiate(shade<float>)\n"},
        Use{"RequestWithAMacro", "#define REAL float\n", "#pragma cudahot instantiate(shade<REAL, 1>)\n"}),
    [](const auto& each) { return each.param.name; });

TEST(InstanceRequests, MayNameSeveralKernelsAndStandInNamespaces) {
  EXPECT_THAT(
      instances(std::string("namespace scene {\n") + kTemplate +
                "#pragma cudahot instantiate(shade<float>, shade<double, (3 > 2)>)\n}\n"
                "#pragma cudahot instantiate(scene::shade<unsigned int, 7>)\nstruct After { int a; };\n"),
      UnorderedElementsAre("scene::shade<float, 1>", "scene::shade<double, 1>", "scene::shade<unsigned int, 7>"));
}

TEST(InstanceRequests, MayStandInTheHeaderOfTheTemplate) {
  TestTu tu("#include \"shade.cuh\"\n");
  tu.file("shade.cuh",
          std::string("#pragma once\nnamespace {\n") + kTemplate + "}\n#pragma cudahot instantiate(shade<float>)");
  const region::Slice slice = tu.slice();
  ASSERT_EQ(slice.kernels.size(), 1u);
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(InstanceRequests, LeaveNoTraceInTheDeviceView) {
  const region::Slice slice =
      TestTu(std::string(kTemplate) +
             "#pragma cudahot instantiate(shade<float>)\n__device__ float next() { return 1; }\n")
          .slice();
  EXPECT_THAT(slice.text, testing::Not(HasSubstr("instan")));
  EXPECT_THAT(slice.text, HasSubstr("next() { return 1; }"));
}

TEST(InstanceRequests, MakeNoKernelHotByThemselves) {
  const region::Slice slice = TestTu(std::string(kTemplate) +
                                     "template <class T> __global__ void cold(T* p) { *p = 1; }\n"
                                     "#pragma cudahot instantiate(cold<float>, shade<int>)\n")
                                  .slice();
  ASSERT_EQ(slice.kernels.size(), 1u);
  EXPECT_EQ(slice.kernels[0].name, "shade<int, 1>");
}

struct Fault {
  const char* name;
  const char* id;
  const char* text;
  const char* message;
};
std::ostream& operator<<(std::ostream& out, const Fault& fault) { return out << fault.name; }
class InstanceRequestsRefuse : public testing::TestWithParam<Fault> {};

TEST_P(InstanceRequestsRefuse, OnceAtTheirLine) {
  const ExtractReport report =
      TestTu(std::string(kTemplate) + "void host() {}\n__device__ int f(int x) { return x; }\n" + GetParam().text)
          .report();
  EXPECT_FALSE(report.slice);
  ASSERT_THAT(errors(report), ElementsAre(std::string(GetParam().id) + " shade.cu:8"));
  for (const Diagnostic& each : report.diagnostics) {
    if (each.id == GetParam().id) {
      EXPECT_THAT(each.text, HasSubstr(GetParam().message));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Source, InstanceRequestsRefuse,
    testing::Values(Fault{"UnknownName", "CH028", "#pragma cudahot instantiate(shad<float>)\n", "'shad<float>'"},
                    Fault{"NoKernel", "CH028", "#pragma cudahot instantiate(host)\n", "'host' is no kernel"},
                    Fault{"DeviceFunction", "CH028", "#pragma cudahot instantiate(f)\n", "'f'"},
                    Fault{"TemplateWithoutArguments", "CH028", "#pragma cudahot instantiate(shade)\n", "'shade'"},
                    Fault{"WrongArguments", "CH028", "#pragma cudahot instantiate(shade<3>)\n", "'shade<3>'"},
                    Fault{"Type", "CH028", "#pragma cudahot instantiate(float)\n", "'float'"},
                    Fault{"EmptyName", "CH028", "#pragma cudahot instantiate(shade<int>, )\n", "''"},
                    Fault{"NoParentheses", "CH001", "#pragma cudahot instantiate shade<int>\n", "parentheses"},
                    Fault{"NoNames", "CH001", "#pragma cudahot instantiate()\n", "parentheses"}),
    [](const auto& each) { return each.param.name; });

TEST(InstanceRequests, InFunctionsClassesAndRegionsAreRefused) {
  EXPECT_THAT(
      errors(TestTu(std::string(kTemplate) + "void host() {\n#pragma cudahot instantiate(shade<int>)\n}\n").report()),
      ElementsAre("CH028 shade.cu:7"));
  EXPECT_THAT(
      errors(TestTu(std::string(kTemplate) + "struct S {\n#pragma cudahot instantiate(shade<int>)\n};\n").report()),
      ElementsAre("CH028 shade.cu:7"));
  EXPECT_THAT(errors(TestTu("__global__ void k(int* p) {\n#pragma cudahot begin(r)\n"
                            "#pragma cudahot instantiate(k)\n  *p = 1;\n#pragma cudahot end\n}\n")
                         .report()),
              testing::Contains("CH028 shade.cu:3"));
}

}  // namespace
}  // namespace cudahot::extract

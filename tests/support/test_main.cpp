// main() of every test program. A program in which nothing ran but skips ends with 77, which CTest
// shows as skipped: GoogleTest's own main would end with 0, and it would look passed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  const int status = RUN_ALL_TESTS();
  const testing::UnitTest& run = *testing::UnitTest::GetInstance();
  const bool only_skips = run.skipped_test_count() > 0 && run.successful_test_count() == 0;
  return status == 0 && only_skips ? 77 : status;
}

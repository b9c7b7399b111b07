// Parts of the sample that need no GPU.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "contact_sheet.hpp"
#include "demo_run.hpp"
#include "font.hpp"
#include "lib/base/files.hpp"
#include "options.hpp"
#include "picture.hpp"
#include "reference.hpp"
#include "source_edit.hpp"

namespace sample {
namespace {

constexpr unsigned kWidth = 40, kHeight = 24;

// The reference as a picture.
std::vector<float> reference_picture(float time) {
  std::vector<float> rgba;
  for (unsigned y = 0; y < kHeight; ++y) {
    for (unsigned x = 0; x < kWidth; ++x) {
      for (const double value : expected_pixel(x, y, kWidth, kHeight, time).rgba) {
        rgba.push_back(static_cast<float>(value));
      }
    }
  }
  return rgba;
}

TEST(Reference, AtTimeZeroEveryWaveIsAtItsTop) {
  // cos(0) = 1: waves are 0.5 + x / width, or 0.5 + y / height.
  const auto top = expected_pixel(20, 0, kWidth, kHeight, 0.0f).rgba;
  EXPECT_DOUBLE_EQ(top[0], 0.3);
  EXPECT_DOUBLE_EQ(top[1], 1.0);
  EXPECT_DOUBLE_EQ(top[2], 0.4);
  const auto left = expected_pixel(10, 5, kWidth, kHeight, 0.0f).rgba;
  EXPECT_DOUBLE_EQ(left[0], 0.75);
  EXPECT_DOUBLE_EQ(left[1], 0.1);
  const auto right = expected_pixel(30, 5, kWidth, kHeight, 0.0f).rgba;
  EXPECT_DOUBLE_EQ(right[0], 0.1);
  EXPECT_DOUBLE_EQ(right[2], 1.25);
  const auto margin = expected_pixel(kWidth - 1, 12, kWidth, kHeight, 0.0f).rgba;
  EXPECT_DOUBLE_EQ(margin[0], 1.0);
  EXPECT_DOUBLE_EQ(margin[1], 0.9);
}

TEST(Reference, TellsAPictureFromItsSwappedOne) {
  const auto picture = reference_picture(0.7f);
  EXPECT_EQ(difference(picture, kWidth, kHeight, 0.7f, false), std::nullopt);
  EXPECT_NE(difference(picture, kWidth, kHeight, 0.7f, true), std::nullopt);
  EXPECT_NE(difference(picture, kWidth, kHeight, 0.75f, false), std::nullopt) << "of another time";
}

TEST(Reference, RefusesOneWrongPixelAndNamesIt) {
  auto picture = reference_picture(0.7f);
  picture[(5 * kWidth + 7) * 4 + 2] += 0.001f;
  const auto wrong = difference(picture, kWidth, kHeight, 0.7f, false);
  ASSERT_TRUE(wrong);
  EXPECT_NE(wrong->find("pixel (7, 5) channel B"), std::string::npos) << *wrong;
  picture[(5 * kWidth + 7) * 4 + 2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(difference(picture, kWidth, kHeight, 0.7f, false));
  EXPECT_TRUE(difference({}, kWidth, kHeight, 0.7f, false)) << "no picture at all";
}

TEST(SourceEdit, InsertsALineBeforeTheEndOfTheRegion) {
  const auto edited = insert_at_region_end("a\n#pragma cudahot begin(r)\nb\n#pragma cudahot end\nc\n", "new;");
  ASSERT_TRUE(edited);
  EXPECT_EQ(edited->text, "a\n#pragma cudahot begin(r)\nb\n  new;\n#pragma cudahot end\nc\n");
  EXPECT_EQ(edited->line, 4u);
  EXPECT_FALSE(insert_at_region_end("no region", "new;"));
}

TEST(SourceEdit, SavesOverAFileAndLeavesNothingBeside) {
  const auto folder = cudahot::base::TemporaryFolder::create("sample-edit");
  ASSERT_TRUE(folder) << folder.error().message;
  const auto file = folder->path() / "a.cu";
  ASSERT_TRUE(save_text(file, "one"));
  ASSERT_TRUE(save_text(file, "two\n"));
  EXPECT_EQ(read_text(file).value_or(""), "two\n");
  const std::filesystem::directory_iterator entries(folder->path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
  EXPECT_FALSE(read_text(folder->path() / "missing.cu"));
  EXPECT_FALSE(save_text(folder->path() / "missing" / "a.cu", "text"));
}

TEST(DemoSteps, BreakOneLineOfTheRealKernelAndGoBackToItsText) {
  const auto original = read_text(CUDAHOT_SAMPLE_SOURCES "/update_surface.cu");
  ASSERT_TRUE(original) << original.error().message;
  const auto steps = demo_steps(*original);
  ASSERT_TRUE(steps) << steps.error().message;
  ASSERT_EQ(steps->size(), 4u);
  EXPECT_EQ(steps->at(2).text, steps->at(0).text);
  EXPECT_EQ(steps->at(3).text, *original);
  // The line with the error is the one that differs from the good text.
  EXPECT_GT(steps->at(1).error_line, 10u);
  EXPECT_NE(steps->at(1).text, steps->at(0).text);
}

TEST(Pictures, ClipsToWhatCanBeShown) {
  const Bitmap bitmap = to_bitmap({1, 1, {-1.0f, 0.5f, 7.0f, 0.0f}});
  EXPECT_EQ(bitmap.rgb, (std::vector<std::uint8_t>{0, 128, 255}));
  EXPECT_EQ(to_bitmap({1, 1, {std::numeric_limits<float>::quiet_NaN(), 0, 0, 0}}).rgb.front(), 0);
}

TEST(Pictures, WritesPngFilesAndNamesAPlaceThatCannotBeWritten) {
  const auto folder = cudahot::base::TemporaryFolder::create("sample-png");
  ASSERT_TRUE(folder) << folder.error().message;
  ASSERT_TRUE(write_png(Bitmap(3, 2), folder->path() / "a.png"));
  EXPECT_TRUE(read_text(folder->path() / "a.png")->starts_with("\x89PNG"));
  const auto failed = write_png(Bitmap(3, 2), folder->path() / "missing" / "a.png");
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message.find("missing/a.png"), std::string::npos);
}

TEST(ContactSheets, LayOutTilesInRowsWithCaptionsBelow) {
  ContactSheet sheet(2);
  for (int tile = 0; tile < 3; ++tile) {
    Bitmap bitmap(30, 20);
    std::fill(bitmap.rgb.begin(), bitmap.rgb.end(), static_cast<std::uint8_t>(100 + tile));
    sheet.add(bitmap, "AB");
  }
  Bitmap rendered = sheet.render();
  EXPECT_EQ(rendered.width, 2u * 30 + 3 * 12);
  EXPECT_EQ(*rendered.at(12, 12), 100);
  EXPECT_EQ(*rendered.at(12 + 30 + 12, 12), 101);
  EXPECT_EQ(*rendered.at(12 + 30 + 12 + 29, 12 + 19), 101);
  bool caption = false;
  for (unsigned y = 12 + 20; y < 12 + 20 + 26; ++y) {
    for (unsigned x = 12; x < 12 + 24; ++x) caption |= *rendered.at(x, y) == 255;
  }
  EXPECT_TRUE(caption);
}

TEST(Font, CutsOffWhatLiesOutside) {
  Bitmap bitmap(8, 4);
  draw_text(bitmap, 0, 0, "E", 1);
  EXPECT_EQ(*bitmap.at(4, 0), 255) << "the top bar of the E";
  EXPECT_EQ(*bitmap.at(5, 0), 0);
  draw_text(bitmap, 100, 100, "far away", 3);
}

}  // namespace
}  // namespace sample

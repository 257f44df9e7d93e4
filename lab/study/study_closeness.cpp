#include "lab/study/study_closeness.h"

#include <algorithm>

namespace sgf {

std::optional<double> Closeness::difference() const {
  const StudyMetric& m = study_metric(metric);
  if (m.whole == Whole::kNone) return std::nullopt;
  return *part_of_whole(m, student) - *part_of_whole(m, teacher);
}

std::optional<double> Closeness::relative_difference() const {
  const std::optional<double> whole = part_of_whole(study_metric(metric), teacher);
  return whole ? std::optional(*difference() / *whole) : std::nullopt;
}

bool Closeness::is_raw_worse(double least) const {
  const double worse = study_metric(metric).better == Better::kMore ? teacher - student : student - teacher;
  return worse > std::max(kCloseShare * teacher, least);
}

Closeness closeness_of(const StudyMetric& metric, double student, double teacher, double least) {
  Closeness row{.metric = std::string(metric.name), .student = student, .teacher = teacher};
  const std::optional<double> whole = part_of_whole(metric, teacher);
  row.is_close = whole && -*row.difference() <= std::max(kCloseShare * *whole, least);
  return row;
}

}  // namespace sgf

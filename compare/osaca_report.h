/* osaca_report.h - what OSACA says of a block: the one number out of its printed report. */
#ifndef GAMBREL_COMPARE_OSACA_REPORT_H
#define GAMBREL_COMPARE_OSACA_REPORT_H

/* Cycles per iteration of a loop: the most loaded port, or the longest dependence from one
 * iteration to the next where that is more.  The report's last row without '|' after "Combined
 * Analysis Report" has the load of each port that is used, then the critical path, then that
 * dependence (frontend.py of versions 0.3 to 0.7).  NaN: the report has no such row, as where OSACA
 * lacks data of an instruction, or no port is used and nothing depends. */
double osaca_report_cycles(const char *report);

#endif

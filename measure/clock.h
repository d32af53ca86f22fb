/* clock.h - time in seconds and the core's clock in Hz, without counters.
 *
 * The clock is estimated by a chain of dependent integer adds, one a cycle on every core known; the
 * time stamp counter ticks at a rate of its own and is not used as cycles.
 */
#ifndef GAMBREL_MEASURE_CLOCK_H
#define GAMBREL_MEASURE_CLOCK_H

double clock_seconds(void);     /* monotonic */
double clock_estimate_hz(void); /* takes about 50 microseconds; the largest of a few short chains */

/* Keeps the calling thread's core busy, so that it leaves its idle states and raises its clock. */
void clock_spin(double seconds);

#endif

/* clock.h - time in seconds.  How long a cycle is, pulse.h says.
 */
#ifndef GAMBREL_MEASURE_CLOCK_H
#define GAMBREL_MEASURE_CLOCK_H

double clock_seconds(void); /* monotonic */

/* Keeps the calling thread's core busy, so that it leaves its idle states and raises its clock. */
void clock_spin(double seconds);

#endif

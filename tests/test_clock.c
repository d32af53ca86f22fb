/* Nothing here depends on how fast the clock runs, only on what it must be. */
#include "measure/clock.h"
#include "measure/pulse.h"
#include "tests/tap.h"

int main(void)
{
    bool forward = true;
    double last = clock_seconds();
    for (int i = 0; i < 1000; i++) {
        const double now = clock_seconds();
        forward = forward && now >= last;
        last = now;
    }
    ok(forward, "time does not run backward");
    const double hz = pulse_clock_hz();
    ok(isfinite(hz) && hz > 0, "the estimate is a positive number");
    const double start = clock_seconds();
    clock_spin(0.001);
    ok(clock_seconds() - start >= 0.001, "spinning lasts at least as long as asked for");
    return tap_done();
}

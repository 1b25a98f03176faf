"""Event time and timers: strategies, alignment of watermarks, timer queues."""

"""When a task may start: EAGER, LAZY_FROM_SOURCES and PIPELINED_REGION.

Source of the rules: Flink's ``ScheduleMode`` (EAGER and LAZY_FROM_SOURCES, up to 1.13) and
``PipelinedRegionSchedulingStrategy``.

=================  ==================  ==================================  ====================================
mode               slots go to         as soon as                          a task starts when
=================  ==================  ==================================  ====================================
EAGER              the whole job       it is submitted                     it can be called
LAZY_FROM_SOURCES  a region            a task of it can be called, and     it can be called, and the blocking
                                       its producers have slots or ended   results that it reads are complete
PIPELINED_REGION   a region            all blocking results that it reads  it can be called
                                       are complete
=================  ==================  ==================================  ====================================
"""

from enum import Enum


class SchedulingMode(Enum):
    """When tasks start; see the table of the module."""

    EAGER = "EAGER"
    LAZY_FROM_SOURCES = "LAZY_FROM_SOURCES"
    PIPELINED_REGION = "PIPELINED_REGION"

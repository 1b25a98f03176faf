"""PyFlink's public modules and names, and where each is here. ``pyflink.*`` is made of this table.

``MODULES``: dotted PyFlink module -> {name: "module:attribute"}. ``INSTEAD``: what to use for modules and names that
do not exist here, by their dotted PyFlink name.
"""

_API = "flinkpy_dagster.api."
_OPERATORS = "flinkpy_dagster.operators."
_TYPES = "flinkpy_dagster.types"


def _names(module: str, names: str) -> dict[str, str]:
    return {name: f"{module}:{name}" for name in names.split()}


_TYPEINFO = _names(
    _TYPES,
    "TypeInformation BasicType BasicTypeInfo InstantTypeInfo SqlTimeTypeInfo PrimitiveArrayTypeInfo BasicArrayTypeInfo "
    "ObjectArrayTypeInfo PickledBytesTypeInfo RowTypeInfo TupleTypeInfo DateTypeInfo TimeTypeInfo TimestampTypeInfo "
    "ListTypeInfo MapTypeInfo LocalTimeTypeInfo ExternalTypeInfo Types",
)
_TIME = _names(_API + "times", "Duration Time") | _names(_TYPES, "Instant")
_SERIALIZATION = _names(
    _API + "serialization",
    "SerializationSchema DeserializationSchema SimpleStringSchema ByteArraySchema Encoder BulkWriterFactory "
    "RowFieldExtractorSchema",
)
_WATERMARKS = _names(
    _OPERATORS + "time.watermarks",
    "WatermarkStrategy TimestampAssigner AssignerWithPeriodicWatermarksWrapper",
)
_RESTART = _names(_API + "restart_strategies", "RestartStrategies RestartStrategyConfiguration")
_CONFIG_OPTIONS = _names(_API + "config_options", "ConfigOption ConfigOptions")
_CONFIGURATION = _names("flinkpy_dagster.config", "Configuration")
_EXECUTION_CONFIG = _names(_API + "execution_config", "ExecutionConfig")
_INPUT_CONSTRAINT = _names(_API + "modes", "InputDependencyConstraint")
_SERIALIZER = _names(_OPERATORS + "windows.windows", "TypeSerializer")
_ROWS = _names(_TYPES, "Row RowKind")
_CSV = _names(
    _API + "csv_format",
    "CsvSchema CsvSchemaBuilder CsvReaderFormat CsvBulkWriters CsvRowDeserializationSchema CsvRowSerializationSchema",
)
_JSON = _names(_API + "json_format", "JsonRowDeserializationSchema JsonRowSerializationSchema")


def _job(names: str) -> dict[str, str]:
    return _names(_API + "job_client", names)


_COMMON = (
    _CONFIGURATION
    | _CONFIG_OPTIONS
    | _EXECUTION_CONFIG
    | _names(_TYPES, "TypeInformation Types Row RowKind")
    | _SERIALIZER
    | {name: place for name, place in _SERIALIZATION.items() if name != "RowFieldExtractorSchema"}
    | _job("CompletableFuture JobClient JobExecutionResult JobID JobStatus")
    | _INPUT_CONSTRAINT
    | _RESTART
    | _names(_OPERATORS + "time.watermarks", "WatermarkStrategy AssignerWithPeriodicWatermarksWrapper")
    | _TIME
    | _names(_API + "csv_format", "CsvRowDeserializationSchema CsvRowSerializationSchema")
    | _JSON
)

_DATA_STREAM = (
    _names(_API + "data_stream", "DataStream")
    | _names(_API + "sinks", "DataStreamSink")
    | _names(_API + "keyed_stream", "KeyedStream")
    | _names(_API + "windowed_stream", "WindowedStream AllWindowedStream")
    | _names(_API + "connected_streams", "ConnectedStreams BroadcastStream BroadcastConnectedStream")
    | _names(_API + "iterating", "CloseableIterator")
)
_FUNCTIONS = _names(
    _OPERATORS + "functions.rich_functions",
    "KeyedStateStore RuntimeContext Function MapFunction CoMapFunction FlatMapFunction CoFlatMapFunction "
    "ReduceFunction AggregateFunction KeySelector NullByteKeySelector FilterFunction Partitioner SourceFunction "
    "SinkFunction ProcessFunction KeyedProcessFunction CoProcessFunction KeyedCoProcessFunction AsyncRetryPredicate "
    "AsyncRetryStrategy AsyncFunction ResultFuture WindowFunction AllWindowFunction ProcessWindowFunction "
    "ProcessAllWindowFunction PassThroughWindowFunction PassThroughAllWindowFunction BaseBroadcastProcessFunction "
    "BroadcastProcessFunction KeyedBroadcastProcessFunction TimerService TimeDomain",
)
_STATE = _names(
    _OPERATORS + "state.states",
    "OperatorStateStore State ValueState AppendingState MergingState ReducingState AggregatingState ListState MapState "
    "ReadOnlyBroadcastState BroadcastState",
) | _names(
    _OPERATORS + "state.state_descriptors",
    "StateDescriptor ValueStateDescriptor ListStateDescriptor MapStateDescriptor ReducingStateDescriptor "
    "AggregatingStateDescriptor",
)
_STATE |= _names(_OPERATORS + "state.state_ttl", "StateTtlConfig")
_WINDOW = _names(
    _OPERATORS + "windows.windows",
    "Window TimeWindow CountWindow GlobalWindow TimeWindowSerializer CountWindowSerializer GlobalWindowSerializer "
    "TriggerResult Trigger WindowAssigner MergingWindowAssigner SessionWindowTimeGapExtractor EventTimeTrigger "
    "ContinuousEventTimeTrigger ProcessingTimeTrigger ContinuousProcessingTimeTrigger PurgingTrigger CountTrigger "
    "NeverTrigger CountTumblingWindowAssigner CountSlidingWindowAssigner TumblingProcessingTimeWindows "
    "TumblingEventTimeWindows SlidingProcessingTimeWindows SlidingEventTimeWindows ProcessingTimeSessionWindows "
    "EventTimeSessionWindows DynamicProcessingTimeSessionWindows DynamicEventTimeSessionWindows GlobalWindows",
)
_SLOTS = _names(_API + "slot_sharing_group", "SlotSharingGroup MemorySize")
_CHECKPOINT_STORAGE = _names(
    _API + "state_backends",
    "CheckpointStorage JobManagerCheckpointStorage FileSystemCheckpointStorage CustomCheckpointStorage",
)
_STATE_BACKEND = _names(
    _API + "state_backends",
    "StateBackend HashMapStateBackend EmbeddedRocksDBStateBackend CustomStateBackend PredefinedOptions",
)
_MODES = _names(_API + "modes", "RuntimeExecutionMode CheckpointingMode ExternalizedCheckpointRetention")
_ASYNC = _names(_API + "async_data_stream", "AsyncDataStream")
_OUTPUT_TAG = _names(_OPERATORS + "functions.output_tag", "OutputTag")
_ENVIRONMENT = _names(_API + "environment", "StreamExecutionEnvironment")
_CHECKPOINT_CONFIG = _names(_API + "checkpoint_config", "CheckpointConfig")

_DATASTREAM = (
    _ENVIRONMENT
    | {
        name: place
        for name, place in _DATA_STREAM.items()
        if name not in ("AllWindowedStream", "CloseableIterator")
    }
    | _ASYNC
    | _names(
        _OPERATORS + "functions.rich_functions",
        "MapFunction CoMapFunction FlatMapFunction CoFlatMapFunction ReduceFunction FilterFunction ProcessFunction "
        "KeyedProcessFunction CoProcessFunction KeyedCoProcessFunction WindowFunction ProcessWindowFunction "
        "AggregateFunction BroadcastProcessFunction KeyedBroadcastProcessFunction AsyncFunction RuntimeContext "
        "TimerService TimeDomain KeySelector Partitioner SourceFunction SinkFunction AsyncRetryPredicate "
        "AsyncRetryStrategy",
    )
    | _MODES
    | _CHECKPOINT_CONFIG
    | _STATE_BACKEND
    | _CHECKPOINT_STORAGE
    | _names(
        _OPERATORS + "windows.windows",
        "Window TimeWindow CountWindow GlobalWindow WindowAssigner MergingWindowAssigner TriggerResult Trigger",
    )
    | _SLOTS
    | _OUTPUT_TAG
)

_FILE_SYSTEM = _names(
    _API + "file_system",
    "FileSource FileSourceBuilder FileSink StreamingFileSink StreamFormat BulkFormat FileEnumeratorProvider "
    "FileSplitAssignerProvider",
) | _names(
    _API + "file_parts",
    "BucketAssigner RollingPolicy DefaultRollingPolicy OnCheckpointRollingPolicy OutputFileConfig FileCompactStrategy "
    "FileCompactor",
)
_BASE = (
    _names(_API + "sources", "Source")
    | _names(_API + "sinks", "Sink")
    | _names(_API + "modes", "DeliveryGuarantee")
)
_NUMBERS = _names(_API + "sources", "NumberSequenceSource")
_KAFKA = (
    _names(
        _API + "kafka",
        "KafkaSource KafkaSourceBuilder KafkaTopicPartition KafkaOffsetsInitializer KafkaOffsetResetStrategy",
    )
    | _names(
        _API + "kafka_sink",
        "KafkaSink KafkaSinkBuilder KafkaTopicSelector KafkaRecordSerializationSchema "
        "KafkaRecordSerializationSchemaBuilder",
    )
    | _names(_API + "modes", "DeliveryGuarantee")  # PyFlink's own example takes it from here
)
_JDBC = _names(_API + "jdbc", "JdbcSink JdbcConnectionOptions JdbcExecutionOptions")
_RETRY_PREDICATES = "empty_result_predicate has_exception_predicate exception_type_predicate"
_RETRIES = (
    "RetryPredicate NoRetryStrategy FixedDelayRetryStrategy ExponentialBackoffDelayRetryStrategy "
    "NO_RETRY_STRATEGY"
)

MODULES: dict[str, dict[str, str]] = {
    "pyflink": {},
    "pyflink.common": _COMMON,
    "pyflink.common.completable_future": _job("CompletableFuture"),
    "pyflink.common.config_options": _CONFIG_OPTIONS,
    "pyflink.common.configuration": _CONFIGURATION,
    "pyflink.common.constants": _names(
        _API + "constants", "MAX_LONG_VALUE MIN_LONG_VALUE DEFAULT_OUTPUT_TAG"
    ),
    "pyflink.common.execution_config": _EXECUTION_CONFIG,
    "pyflink.common.input_dependency_constraint": _INPUT_CONSTRAINT,
    "pyflink.common.job_client": _job("JobClient"),
    "pyflink.common.job_execution_result": _job("JobExecutionResult"),
    "pyflink.common.job_id": _job("JobID"),
    "pyflink.common.job_status": _job("JobStatus"),
    "pyflink.common.restart_strategy": _RESTART,
    "pyflink.common.serialization": _SERIALIZATION,
    "pyflink.common.serializer": _SERIALIZER,
    "pyflink.common.time": _TIME,
    "pyflink.common.typeinfo": _TYPEINFO,
    "pyflink.common.types": _ROWS,
    "pyflink.common.watermark_strategy": _WATERMARKS,
    "pyflink.datastream": _DATASTREAM,
    "pyflink.datastream.async_data_stream": _ASYNC,
    "pyflink.datastream.async_retry_predicates": _names(
        _OPERATORS + "functions.async_functions", _RETRY_PREDICATES
    ),
    "pyflink.datastream.async_retry_strategies": _names(_OPERATORS + "functions.async_functions", _RETRIES),
    "pyflink.datastream.checkpoint_config": _CHECKPOINT_CONFIG | _MODES,
    "pyflink.datastream.checkpoint_storage": _CHECKPOINT_STORAGE,
    "pyflink.datastream.checkpointing_mode": _names(_API + "modes", "CheckpointingMode"),
    "pyflink.datastream.connectors": _FILE_SYSTEM | _BASE | _NUMBERS,
    "pyflink.datastream.connectors.base": _BASE,
    "pyflink.datastream.connectors.file_system": _FILE_SYSTEM,
    "pyflink.datastream.connectors.jdbc": _JDBC,
    "pyflink.datastream.connectors.kafka": _KAFKA,
    "pyflink.datastream.connectors.number_seq": _NUMBERS,
    "pyflink.datastream.data_stream": _DATA_STREAM,
    "pyflink.datastream.execution_mode": _names(_API + "modes", "RuntimeExecutionMode"),
    "pyflink.datastream.externalized_checkpoint_retention": _names(
        _API + "modes", "ExternalizedCheckpointRetention"
    ),
    "pyflink.datastream.formats": {},
    "pyflink.datastream.formats.csv": _CSV,
    "pyflink.datastream.formats.json": _JSON,
    "pyflink.datastream.functions": _FUNCTIONS,
    "pyflink.datastream.output_tag": _OUTPUT_TAG,
    "pyflink.datastream.slot_sharing_group": _SLOTS,
    "pyflink.datastream.state": _STATE,
    "pyflink.datastream.state_backend": _STATE_BACKEND,
    "pyflink.datastream.stream_execution_environment": _ENVIRONMENT,
    "pyflink.datastream.time_domain": _names(_OPERATORS + "functions.rich_functions", "TimeDomain"),
    "pyflink.datastream.timerservice": _names(_OPERATORS + "functions.rich_functions", "TimerService"),
    "pyflink.datastream.window": _WINDOW,
    "pyflink.metrics": _names(
        _OPERATORS + "functions.metrics", "MetricGroup Metric Counter Meter Distribution"
    ),
    "pyflink.metrics.metricbase": _names(
        _OPERATORS + "functions.metrics", "MetricGroup Metric Counter Meter Distribution"
    ),
    "pyflink.version": _names(_API + "constants", "__version__"),
}

_SPARK_SOURCE = "read it with env.from_dataframe(lambda spark: spark.read...)"
_SPARK_SINK = "write it with sink_to(TableSink(lambda dataframe: dataframe.write...))"

INSTEAD: dict[str, str] = {
    "pyflink.table": "there is no Table API; use the DataStream API, or Spark SQL through env.from_dataframe().",
    "pyflink.ml": "there is no Flink ML; use Spark ML through env.from_dataframe().",
    "pyflink.java_gateway": "there is no Flink JVM behind this API.",
    "pyflink.util": "these are internals of PyFlink.",
    "pyflink.fn_execution": "these are internals of PyFlink.",
    "pyflink.common.io": "input formats wrap Java classes; use env.from_source() or env.from_dataframe().",
    "pyflink.common.utils": "these are internals of PyFlink.",
    "pyflink.common.serialization.RowDataBulkWriterFactory": "it wraps a Java class; use CsvBulkWriters.",
    "pyflink.datastream.utils": "these are internals of PyFlink.",
    "pyflink.datastream.data_stream.CachedDataStream": (
        "a stream read by several operators of one job is computed once; between jobs, use sink_to(ParquetSink(path))."
    ),
    "pyflink.datastream.connectors.base.StreamTransformer": (
        "sinks do not rewrite the stream before them; call map() or process() before sink_to()."
    ),
    "pyflink.datastream.connectors.base.SupportsPreprocessing": (
        "sinks do not rewrite the stream before them; call map() or process() before sink_to()."
    ),
    "pyflink.datastream.connectors.cassandra": f"{_SPARK_SINK}.",
    "pyflink.datastream.connectors.dynamic_kafka": f"{_SPARK_SOURCE} and Spark's Kafka reader.",
    "pyflink.datastream.connectors.elasticsearch": f"{_SPARK_SINK}.",
    "pyflink.datastream.connectors.hybrid_source": "use union() of two sources.",
    "pyflink.datastream.connectors.kafka.FlinkKafkaConsumer": "it wraps a Java class; use KafkaSource.",
    "pyflink.datastream.connectors.kafka.FlinkKafkaProducer": "it wraps a Java class; use KafkaSink.",
    "pyflink.datastream.connectors.kafka.Semantic": "use KafkaSink and DeliveryGuarantee.",
    "pyflink.datastream.connectors.kinesis": f"{_SPARK_SOURCE}, or {_SPARK_SINK}.",
    "pyflink.datastream.connectors.pulsar": f"{_SPARK_SOURCE}, or {_SPARK_SINK}.",
    "pyflink.datastream.connectors.rabbitmq": f"{_SPARK_SOURCE}, or {_SPARK_SINK}.",
    "pyflink.datastream.formats.avro": f"{_SPARK_SOURCE} and Spark's Avro reader, or {_SPARK_SINK}.",
    "pyflink.datastream.formats.orc": f"{_SPARK_SINK}, with format('orc').",
    "pyflink.datastream.formats.parquet": "use env.from_parquet(path) and sink_to(ParquetSink(path)).",
    "pyflink.datastream.functions": "these are internals of PyFlink.",
    "pyflink.datastream.window": "these are internals of PyFlink.",
    "pyflink": "flinkpy_dagster.api has the DataStream API under the names of pyflink.common and pyflink.datastream.",
}

"""File systems for state and for files of sinks: this machine's, HDFS, object stores."""

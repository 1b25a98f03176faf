"""What users write and hand over: functions, output tags, the context they get."""

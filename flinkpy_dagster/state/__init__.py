"""What survives a process: state of operators in files, and the metadata of epochs, checkpoints and savepoints.

Standard library only; imports nothing but floor 0. ``refs`` says what a subtask wrote, ``metadata`` what an epoch is,
``checkpoint_store`` keeps epochs in a folder, ``segments`` are the files.
"""

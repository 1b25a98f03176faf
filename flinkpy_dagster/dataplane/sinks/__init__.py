"""What leaves a job: tables, files, rows for the driver; first hidden, then in their places."""

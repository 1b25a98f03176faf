"""What a route is and what it takes, how a failure is answered."""

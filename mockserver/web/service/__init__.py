"""What happens to a request of the service's: who calls, what is answered, and how it is written down."""

"""What the page "Webhooks" shows: deliveries and their timeline, events to trigger, receivers."""

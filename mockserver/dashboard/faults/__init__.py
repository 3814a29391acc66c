"""What the page "Faults and DNS" shows: the rules, what a rule can say, and the domains that DNS knows."""

"""How often the alerts cry wolf, and how soon they see a spike: the rendered rules, evaluated on simulated traffic."""

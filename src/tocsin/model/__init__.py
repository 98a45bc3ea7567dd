"""What can be in a scene: rigid bodies and articulated trees."""

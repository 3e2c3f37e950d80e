"""The leaderboard site."""

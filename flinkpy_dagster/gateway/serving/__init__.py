"""The application, its access rules, its OpenAPI document, the dashboard, and the server."""

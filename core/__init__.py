"""Django apps that every site needs: accounts, audit log, REST API, security, webhooks, jobs."""

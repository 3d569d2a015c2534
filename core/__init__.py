"""Django apps that every site needs: accounts, audit, REST mechanics, security, webhooks."""

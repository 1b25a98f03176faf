"""Programs that come over HTTP: uploads, what is stored of them, running them in processes of their own."""

module receiver

go 1.20

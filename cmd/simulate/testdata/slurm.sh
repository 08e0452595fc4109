#!/bin/sh
# Starts a Slurm of one node in a new folder and runs a command with it: slurm.sh DIR COMMAND…
set -eu
D=$1; shift
mkdir -p "$D/control" "$D/node"; chmod 700 "$D"
host=$(hostname -s) user=$(id -un) port=$((20000 + $$ % 20000))
dd if=/dev/urandom of="$D/munge.key" bs=1 count=1024 2>/dev/null; chmod 400 "$D/munge.key"
cat > "$D/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$D/munge.socket
CredType=cred/munge
StateSaveLocation=$D/control
SlurmdSpoolDir=$D/node
SlurmctldPidFile=$D/slurmctld.pid
SlurmdPidFile=$D/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
END
export SLURM_CONF="$D/slurm.conf"
pids=
end() { for pid in $pids; do kill "$pid" 2>/dev/null || :; done; wait; }
trap end EXIT
munged --foreground --force --key-file="$D/munge.key" --socket="$D/munge.socket" --pid-file="$D/munge.pid" --log-file="$D/munge.log" --seed-file="$D/munge.seed" >"$D/munged.out" 2>&1 & pids="$pids $!"
n=0
until [ -S "$D/munge.socket" ] || [ $n -eq 100 ]; do n=$((n + 1)); sleep 0.1; done
slurmctld -D >"$D/slurmctld.out" 2>&1 & pids="$! $pids"
slurmd -D -N "$host" >"$D/slurmd.out" 2>&1 & pids="$! $pids"
n=0
until sinfo -h -o %T 2>/dev/null | grep -q idle; do
  n=$((n + 1)); [ $n -lt 300 ] || { echo "Slurm does not come up:"; cat "$D"/*.out; exit 1; } >&2
  sleep 0.2
done
"$@"

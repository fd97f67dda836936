/* Switches and managers of an irregular network, for emulator.c: registers by switch, and commands
 * that take a random time. What the contract has go wrong is a fault here. */

static unsigned switch_registers = SYNCFABRIC_REGISTERS;

static const struct {
    unsigned to, port, far_port;
} links[] = SYNCFABRIC_LINKS;
static const unsigned rows[] = SYNCFABRIC_LINK_ROWS;
static const struct {
    unsigned at, port;
} places[] = SYNCFABRIC_NODE_PLACES;
static const unsigned managers[] = SYNCFABRIC_MANAGER_NODES;

static struct {
    int valid;
    unsigned gid, epoch, root, manager;
    uint32_t tree;
} switches[SYNCFABRIC_SWITCHES][REGISTERS];

static struct {
    uint32_t words[1024], command;
    unsigned pointer, state;
    uint64_t due;
} managed[SYNCFABRIC_MANAGERS];

static int switch_register(unsigned s, unsigned gid)
{
    for (unsigned r = 0; r < switch_registers; r++)
        if (switches[s][r].valid && switches[s][r].gid == gid)
            return (int)r;
    return -1;
}

/* Go over a tree from a switch, but not back by the port that was come by; 0 if it is not whole. */
static int walk(unsigned s, unsigned from, unsigned gid, unsigned epoch, unsigned *n,
                unsigned *member, unsigned *numbers)
{
    int r = switch_register(s, gid);
    uint32_t ports;
    if (r < 0 || switches[s][r].epoch != epoch)
        return 0;
    ports = FIELD(switches[s][r].tree, TREE_WORD, CHILDREN);
    if (!switches[s][r].root)
        ports |= 1u << FIELD(switches[s][r].tree, TREE_WORD, PARENT);
    if (from < SYNCFABRIC_PORTS && !(ports >> from & 1))
        return 0;
    for (unsigned port = 0; port < SYNCFABRIC_PORTS; port++) {
        unsigned found = 0;
        if (port == from || !(ports >> port & 1))
            continue;
        for (unsigned i = rows[s]; i < rows[s + 1]; i++)
            if (links[i].port == port) {
                if (!walk(links[i].to, links[i].far_port, gid, epoch, n, member, numbers))
                    return 0;
                found = 1;
            }
        for (unsigned core = 0; core < count; core++)
            if (places[core].at == s && places[core].port == port) {
                int number = register_of(core, gid);
                if (number < 0 || FIELD(cores[core].image[number][0], CONTROL_WORD, EPOCH) != epoch)
                    return 0;
                member[*n] = core;
                numbers[(*n)++] = (unsigned)number;
                found = 1;
            }
        if (!found)
            return 0;
    }
    return 1;
}

static unsigned tree_of(unsigned core, int number, unsigned *member, unsigned *numbers)
{
    uint32_t control = cores[core].image[number][0];
    unsigned n = 0, children = FIELD(cores[core].image[number][1], TREE_WORD, CHILDREN);
    if (FIELD(control, CONTROL_WORD, ROOT) && children == 1u << SYNCFABRIC_PROCESS_PORT) {
        member[0] = core;
        numbers[0] = (unsigned)number;
        return 1;
    }
    return walk(places[core].at, SYNCFABRIC_PORTS, FIELD(control, CONTROL_WORD, GID),
                FIELD(control, CONTROL_WORD, EPOCH), &n, member, numbers) ? n : 0;
}

static unsigned switch_of(unsigned manager, unsigned entry)
{
    return FIELD(managed[manager].words[3 * entry], PACKET_HEADER, SWITCH);
}

/* Set up at all switches, or at none. */
static int set_up(unsigned manager, unsigned entries)
{
    unsigned done = 0, n = 0, member[CORES], numbers[CORES], last;
    uint32_t request = managed[manager].words[1];
    unsigned gid = FIELD(request, REQUEST_WORD, GID), epoch = FIELD(request, REQUEST_WORD, EPOCH);
    for (; done < entries; done++) {
        unsigned s = switch_of(manager, done), r = 0;
        while (r < switch_registers && switches[s][r].valid)
            r++;
        if (switch_register(s, gid) >= 0 || r == switch_registers)
            break;
        switches[s][r].valid = 1;
        switches[s][r].gid = gid;
        switches[s][r].epoch = epoch;
        switches[s][r].root = FIELD(managed[manager].words[3 * done + 1], REQUEST_WORD, ROOT);
        switches[s][r].manager = manager;
        switches[s][r].tree = managed[manager].words[3 * done + 2];
    }
    if (done < entries) {
        while (done--)
            switches[switch_of(manager, done)][switch_register(switch_of(manager, done), gid)].valid = 0;
        printf("refused %u %" PRIu64 "\n", managers[manager], cycle);
        return 0;
    }
    last = switch_of(manager, entries - 1);
    if (!walk(last, SYNCFABRIC_PORTS, gid, epoch, &n, member, numbers))
        fault(managers[manager], "STRAY");
    for (unsigned i = 0; i < n; i++)
        cores[member[i]].go[numbers[i]] = cycle + 1 + chance(4 * slowest);
    return 1;
}

/* Clear; whoever is in a barrier makes it a fault. */
static int clear(unsigned manager, unsigned entries)
{
    for (unsigned entry = 0; entry < entries; entry++) {
        unsigned gid = FIELD(managed[manager].words[3 * entry + 1], REQUEST_WORD, GID);
        int r = switch_register(switch_of(manager, entry), gid);
        if (r < 0)
            continue;
        if (switches[switch_of(manager, entry)][r].manager != manager)
            return 0;
        switches[switch_of(manager, entry)][r].valid = 0;
        for (unsigned core = 0; core < count; core++) {
            int number = register_of(core, gid);
            if (number >= 0 && (cores[core].arrived[number] || cores[core].armed[number])
                && cores[core].go[number])
                fault(managers[manager], "BUSY");
        }
    }
    return 1;
}

/* Let commands end whose time has come. */
static void end_commands(void)
{
    for (unsigned manager = 0; manager < SYNCFABRIC_MANAGERS; manager++) {
        unsigned entries, operation;
        if (managed[manager].state != SYNCFABRIC_STATE_RUNNING || managed[manager].due > cycle)
            continue;
        operation = FIELD(managed[manager].command, MANAGER_COMMAND_WORD, OPERATION);
        entries = FIELD(managed[manager].command, MANAGER_COMMAND_WORD, COUNT);
        managed[manager].state = (operation == SYNCFABRIC_REQUEST_SETUP
            ? set_up(manager, entries) : clear(manager, entries))
            ? SYNCFABRIC_STATE_DONE : SYNCFABRIC_STATE_FAILED;
    }
}

/* A word of a manager; 0 if it is none. */
static int manage(unsigned core, uint32_t address, int write, uint32_t value, uint32_t *read)
{
    unsigned manager = 0, running;
    end_commands();
    if (address < SYNCFABRIC_MANAGER_POINTER || address > SYNCFABRIC_MANAGER_FREED)
        return 0;
    while (manager < SYNCFABRIC_MANAGERS && managers[manager] != core)
        manager++;
    cores[core].refused = 1;
    if (manager == SYNCFABRIC_MANAGERS)
        return 1;
    running = managed[manager].state == SYNCFABRIC_STATE_RUNNING;
    if (write ? running || address > SYNCFABRIC_MANAGER_COMMAND : address < SYNCFABRIC_MANAGER_STATUS)
        return 1;
    cores[core].refused = 0;
    if (address == SYNCFABRIC_MANAGER_POINTER) {
        managed[manager].pointer = value;
    } else if (address == SYNCFABRIC_MANAGER_DATA) {
        managed[manager].words[managed[manager].pointer++ % 1024] = value;
    } else if (address == SYNCFABRIC_MANAGER_COMMAND) {
        managed[manager].command = value;
        managed[manager].state = SYNCFABRIC_STATE_RUNNING;
        managed[manager].due = cycle + 30 + chance(4 * slowest);
        cores[core].refused = !FIELD(value, MANAGER_COMMAND_WORD, COUNT);
    } else if (address == SYNCFABRIC_MANAGER_STATUS) {
        *read = managed[manager].state << SYNCFABRIC_MANAGER_STATUS_WORD_STATE_SHIFT;
    } else {
        *read = 0;
    }
    return 1;
}
